//! Checks which module of a crate uses which other. Circles of modules that were there before this check saw them are listed in
//! `layers/circles.txt`; the list may only become shorter.

use super::modules::Modules;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The layers of `sut`, the lowest first. Each may use itself and the layers before it.
const LAYERS: [&str; 5] = ["error", "files", "tools", "programs", "server"];

/// The maximum number of files that may use each other in a circle.
const LARGEST_CIRCLE: usize = 3;

/// The number of files in the circles of the list. Lower it when a circle is broken; it is never raised.
const LISTED: usize = 17;

/// Returns where a layer uses a higher one, or an item of the crate root, which belongs to no layer.
fn upward(modules: &Modules) -> Vec<String> {
    let layer = |path: &str| {
        let first = path.split("::").next().unwrap_or_default();
        LAYERS.iter().position(|layer| *layer == first)
    };
    let wrong = |module: &String| {
        let used = modules.used_by(module).into_iter();
        used.filter(|used| layer(used).is_none_or(|used| Some(used) > layer(module)))
            .map(|used| format!("{module} uses {used}"))
            .collect::<Vec<_>>()
    };
    let inner = modules.paths().filter(|module| !module.is_empty());
    inner.flat_map(wrong).collect()
}

/// Returns the crates of the workspace.
fn crates() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let entries = fs::read_dir(folder).expect("the crates").flatten();
    entries.map(|entry| entry.file_name().into_string().expect("UTF-8")).collect()
}

#[test]
fn no_layer_of_sut_uses_a_higher_one() {
    let modules = Modules::of_crate("sut");
    assert!(modules.paths().any(|module| module == "programs::tomcat"));
    let upward = upward(&modules);
    assert!(upward.is_empty(), "{upward:#?}");
}

/// A circle: its crate, and the paths of its modules.
type Circle = (String, BTreeSet<String>);

/// Returns the circles of all crates that are larger than allowed.
fn found_circles() -> Vec<Circle> {
    let mut found = Vec::new();
    for name in crates() {
        let modules = Modules::of_crate(&name);
        let circles = modules.circles(LARGEST_CIRCLE).into_iter();
        found.extend(circles.map(|circle| (name.clone(), circle.into_iter().map(str::to_owned).collect())));
    }
    found
}

/// Returns the circles of the list, one a line: `judge: numbers verdicts`.
fn listed_circles() -> Vec<Circle> {
    let circle = |line: &str| {
        let (name, modules) = line.split_once(": ").expect("a crate and its modules");
        (name.to_owned(), modules.split(' ').map(str::to_owned).collect())
    };
    include_str!("layers/circles.txt").lines().map(circle).collect()
}

/// Whether the modules of a circle are all in the other one.
fn is_part(circle: &Circle, of: &Circle) -> bool {
    circle.0 == of.0 && circle.1.is_subset(&of.1)
}

#[test]
fn no_circle_of_modules_is_larger_than_three_files_but_those_of_the_list() {
    let (found, listed) = (found_circles(), listed_circles());
    let is_new = |circle: &&Circle| !listed.iter().any(|listed| is_part(circle, listed));
    let new: Vec<&Circle> = found.iter().filter(is_new).collect();
    assert!(new.is_empty(), "break these circles: {new:#?}");
    let is_broken = |listed: &&Circle| !found.iter().any(|circle| is_part(circle, listed));
    let broken: Vec<&Circle> = listed.iter().filter(is_broken).collect();
    assert!(broken.is_empty(), "remove them from layers/circles.txt: {broken:#?}");
    let files = listed.iter().map(|(_, modules)| modules.len());
    assert_eq!(files.sum::<usize>(), LISTED, "the list may only become shorter");
}

/// Reads modules of these sources.
fn read(sources: &[(&str, &str)]) -> Modules {
    let own = |(path, text): &(&str, &str)| ((*path).to_owned(), (*text).to_owned());
    Modules::read(&sources.iter().map(own).collect::<Vec<_>>())
}

#[test]
fn an_upward_edge_is_found_and_tests_and_texts_are_not() {
    let modules = read(&[
        ("", "mod files;\nmod tools;\nmod server;\npub struct Error;"),
        ("files", "mod work;"),
        ("files::work", "use crate::error::Error;\nuse crate::tools::{site::Site, log};"),
        ("error", ""),
        ("tools", "mod site;"),
        ("tools::site", "use crate::files::work::{self, WorkFolder};\n// crate::server::port"),
        (
            "server",
            "#[cfg(test)]\nmod tests;\nfn f() -> &str { \"\\\"crate::nothing\" }\n#[cfg(test)]\nmod more { use crate::other; }",
        ),
        ("server::tests", "use crate::other;"),
        ("other", ""),
    ]);
    assert_eq!(upward(&modules), ["files::work uses tools", "files::work uses tools::site",]);
}

#[test]
fn a_circle_is_found_through_every_kind_of_path() {
    let ring = |last| {
        read(&[
            ("", "mod a; mod b;\nmod c;\nmod d;\npub use d::Thing as Named;"),
            ("a", "fn f() -> super::b::B { g() }"),
            ("b", "mod inner;\nfn f() { inner::g() }"),
            ("b::inner", "use super::super::c::{x, y as z};"),
            ("c", "use super::{Named, e::E};"),
            ("d", last),
            ("e", ""),
        ])
    };
    let circle = ["a", "b", "b::inner", "c", "d"];
    assert_eq!(ring("use crate::a;").circles(3), [circle.to_vec()].into());
    assert!(ring("use crate::a;").circles(5).is_empty());
    assert!(ring("use crate::e;").circles(3).is_empty());
    // A child uses what its parent has, and the parent its child.
    let family = read(&[
        ("p", "mod a;\nmod b;\nfn f() { a::f(); b::f() }"),
        ("p::a", "use super::*;"),
        ("p::b", "use crate::p::P;"),
    ]);
    assert!(family.circles(1).is_empty());
}
