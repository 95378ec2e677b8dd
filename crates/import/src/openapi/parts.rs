//! Documents in several files: reads the files that references name.

use super::document::{Doc, FILES, Value, parse};
use crate::Files;

/// The most files of a document.
const MOST: usize = 1000;

/// Reads the files that the references of a document name, and puts them into it. References to what cannot be read stay as they are.
pub(super) fn joined(mut root: Doc, files: Files<'_>) -> Doc {
    let mut wanted = Vec::new();
    rename(&mut root, "", &mut wanted);
    let mut read: Vec<(String, Doc)> = Vec::new();
    while let Some(file) = wanted.pop() {
        if read.len() >= MOST || read.iter().any(|(known, _)| *known == file) {
            continue;
        }
        let Some(mut doc) = files(&file).ok().and_then(|text| parse(&text).ok()) else {
            continue;
        };
        rename(&mut doc, &file, &mut wanted);
        read.push((file, doc));
    }
    if let (Value::Map(entries), false) = (&mut root.value, read.is_empty()) {
        entries.push((FILES.to_owned(), Doc { line: 0, value: Value::Map(read) }));
    }
    root
}

/// Names files in references as they are seen from the first document, and collects their names.
fn rename(doc: &mut Doc, file: &str, wanted: &mut Vec<String>) {
    match &mut doc.value {
        Value::Map(entries) => {
            for (name, value) in entries {
                match &mut value.value {
                    Value::Text(reference) if name == "$ref" => {
                        if let Some((named, renamed)) = seen(reference, file) {
                            *reference = renamed;
                            wanted.push(named);
                        }
                    }
                    _ => rename(value, file, wanted),
                }
            }
        }
        Value::List(items) => items.iter_mut().for_each(|item| rename(item, file, wanted)),
        _ => {}
    }
}

/// Returns the file of a reference and the reference, as they are seen from the first document; `None` for one within the first document, or
/// to another host.
fn seen(reference: &str, file: &str) -> Option<(String, String)> {
    let (named, pointer) = reference.split_once('#').unwrap_or((reference, ""));
    if named.contains("://") || named.is_empty() && file.is_empty() {
        return None;
    }
    let named = match named {
        "" => file.to_owned(),
        named => {
            let mut parts: Vec<&str> = file.split('/').collect();
            parts.pop();
            for part in named.split('/') {
                match part {
                    "." => {}
                    ".." if parts.last().is_some_and(|last| *last != "..") => _ = parts.pop(),
                    part => parts.push(part),
                }
            }
            parts.join("/")
        }
    };
    let renamed = format!("{named}#{pointer}");
    Some((named, renamed))
}
