//! Checks that public items of our libraries have docs. `missing_docs` of the compiler would also ask for docs of fields and variants,
//! where a name often says all.

use std::fs;
use std::path::{Path, PathBuf};

/// What a public item begins with. `unreachable_pub` is a lint of the workspace, so an item with `pub` can be used from outside.
const ITEMS: [&str; 9] = [
    "pub fn ",
    "pub const ",
    "pub async fn ",
    "pub unsafe fn ",
    "pub struct ",
    "pub enum ",
    "pub trait ",
    "pub type ",
    "pub static ",
];

/// Returns the lines of a source that begin a public item without docs.
fn undocumented(text: &str) -> Vec<&str> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines: Vec<&str> = code.lines().map(str::trim).collect();
    let begins = |(_, line): &(usize, &&str)| ITEMS.iter().any(|item| line.starts_with(item));
    let has_docs = |at: usize| {
        let mut above = lines[..at].iter().rev();
        // An attribute may have several lines.
        let mut next = above.next();
        while let Some(line) = next.filter(|line| line.ends_with(']') && !line.starts_with("///")) {
            if !line.starts_with("#[") {
                above.find(|line| line.starts_with("#["));
            }
            next = above.next();
        }
        next.is_some_and(|line| line.starts_with("///"))
    };
    let items = lines.iter().enumerate().filter(begins);
    items.filter(|(at, _)| !has_docs(*at)).map(|(_, line)| *line).collect()
}

/// Adds the sources below a folder.
fn collect(folder: &Path, sources: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, sources);
        } else if path.extension().is_some_and(|end| end == "rs") {
            sources.push(path);
        }
    }
}

#[test]
fn public_items_have_docs() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut sources = Vec::new();
    for library in fs::read_dir(crates).expect("the crates").flatten() {
        collect(&library.path().join("src"), &mut sources);
    }
    let mut missing = Vec::new();
    for path in &sources {
        let text = fs::read_to_string(path).expect("a source");
        let lines = undocumented(&text);
        missing.extend(lines.iter().map(|line| format!("{}: {line}", path.display())));
    }
    assert!(sources.len() > 500, "{} sources", sources.len());
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn an_item_without_docs_is_found_and_a_field_is_not() {
    let text = "/// Docs.\n#[derive(\n    Debug,\n)]\npub struct A {\n    pub field: u8,\n}\n\nimpl A {\n    pub fn f() {}\n\n    \
                /// Docs.\n    pub const fn g() {}\n}\n\n#[must_use]\npub enum B {}\n#[cfg(test)]\nmod tests {\npub fn t() {}\n}\n";
    assert_eq!(undocumented(text), ["pub fn f() {}", "pub enum B {}"]);
}
