//! Puts the files that Include Controllers name in their places, before a plan is compiled.

use super::{DEEPEST, Settings};
use crate::compound::Compound;
use crate::obstacle::{Obstacle, ObstacleKind};
use crate::tree::Element;
use std::path::Path;

/// Replaces what is below each Include Controller by the Test Fragment of the file that it names, and adds the text of the file to the
/// text of the plan. Returns what cannot be included.
pub(super) fn expand(root: &mut Element, text: &mut String, settings: &Settings<'_>) -> Vec<Obstacle> {
    let mut refused = Vec::new();
    expand_below(root, text, settings, 0, &mut refused);
    refused
}

fn expand_below(
    element: &mut Element,
    text: &mut String,
    settings: &Settings<'_>,
    depth: usize,
    refused: &mut Vec<Obstacle>,
) {
    for child in &mut element.children {
        if child.object.class != "IncludeController" {
            expand_below(child, text, settings, depth, refused);
            continue;
        }
        match included(child, text, settings) {
            Ok(children) if depth < DEEPEST => {
                child.children = children;
                expand_below(child, text, settings, depth + 1, refused);
            }
            Ok(_) => refused.push(refuse(child, ObstacleKind::Element)),
            Err(what) => refused.push(refuse(child, what)),
        }
    }
}

fn refuse(element: &Element, what: ObstacleKind) -> Obstacle {
    let object = &element.object;
    Obstacle {
        file: object.file.clone(),
        line: object.line,
        class: object.class.clone(),
        name: object.name.clone(),
        what,
    }
}

/// Reads what is below the Test Fragment of the file that an element names.
fn included(
    element: &Element,
    text: &mut String,
    settings: &Settings<'_>,
) -> Result<Vec<Element>, ObstacleKind> {
    let property = "IncludeController.includepath";
    let written = element.object.text(property);
    let compound = Compound::parse(written).unwrap_or_default();
    let not_fixed = || ObstacleKind::NotFixed { property: property.to_owned(), text: written.to_owned() };
    let path = compound.as_literal().ok_or_else(not_fixed)?.trim();
    let unreadable = |why: String| ObstacleKind::File { path: path.to_owned(), why };
    let bytes = (settings.resources.read)(Path::new(path)).map_err(unreadable)?;
    let content = String::from_utf8_lossy(&bytes).into_owned();
    let mut root = Element::parse(&content).map_err(|error| unreadable(error.to_string()))?;
    root.set_file(path);
    text.push_str(&content);
    fragment(&root).ok_or_else(|| unreadable("it has no Test Fragment".to_owned()))
}

/// What is below the first Test Fragment.
fn fragment(element: &Element) -> Option<Vec<Element>> {
    if element.object.class == "TestFragmentController" {
        return Some(element.children.clone());
    }
    element.children.iter().find_map(fragment)
}
