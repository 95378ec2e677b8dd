//! Checks which module of a crate uses which other, by the paths that begin with `crate::` in the sources.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The layers of `sut`, the lowest first. Each may use itself and the layers before it.
const LAYERS: [&str; 5] = ["error", "files", "tools", "programs", "server"];

/// The maximum number of files that may use each other in a circle.
const LARGEST_CIRCLE: usize = 3;

/// The modules of a crate by path, such as `tools::jdk`, each with the paths after `crate::` in its file.
type Modules = BTreeMap<String, BTreeSet<String>>;

fn modules(name: &str) -> Modules {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(name)
        .join("src");
    let mut modules = Modules::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of sources").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = fs::read_to_string(&path).expect("a source");
                modules.insert(module(path.strip_prefix(&root).expect("within it")), paths(&text));
            }
        }
    }
    // The root names all modules, and no module uses the root.
    modules.remove("lib");
    modules.remove("main");
    modules
}

/// Returns the path of the module in a file: `tools::jdk` for `tools/jdk.rs` and for `tools/jdk/mod.rs`.
fn module(file: &Path) -> String {
    let mut path = PathBuf::from(file);
    path.set_extension("");
    if path.ends_with("mod") {
        path.pop();
    }
    let parts = path.iter().map(|part| part.to_string_lossy().into_owned());
    parts.collect::<Vec<_>>().join("::")
}

/// Returns the paths after `crate::` in a source, except those in comments and tests.
fn paths(text: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let after = |line: &str| -> Vec<String> {
        let end = |rest: &str| rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
        let path = |rest: &str| {
            rest[..end(rest).unwrap_or(rest.len())]
                .trim_end_matches(':')
                .to_owned()
        };
        line.split("crate::").skip(1).map(path).collect()
    };
    lines.flat_map(after).collect()
}

/// Returns the module whose file contains a path: `tools::jdk` for `tools::jdk::Jdk`.
fn file_of<'a>(modules: &'a Modules, path: &str) -> Option<&'a String> {
    let contains = |module: &&String| path == module.as_str() || path.starts_with(&format!("{module}::"));
    modules.keys().filter(contains).max_by_key(|module| module.len())
}

/// Returns all modules that a module uses, directly or through others.
fn reachable<'a>(modules: &'a Modules, from: &str) -> BTreeSet<&'a String> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(module) = open.pop() {
        for path in &modules[module] {
            let Some(next) = file_of(modules, path) else {
                continue;
            };
            if next != module && reached.insert(next) {
                open.push(next);
            }
        }
    }
    reached
}

/// Returns where a layer uses a higher one, or an item of the crate root, which belongs to no layer.
fn upward(modules: &Modules) -> Vec<String> {
    let layer = |path: &str| {
        let first = path.split("::").next().unwrap_or_default();
        LAYERS.iter().position(|layer| *layer == first)
    };
    let wrong = |(module, paths): (&String, &BTreeSet<String>)| {
        let paths = paths
            .iter()
            .filter(|path| layer(path).is_none_or(|used| Some(used) > layer(module)));
        paths
            .map(|path| format!("{module} uses {path}"))
            .collect::<Vec<_>>()
    };
    modules.iter().flat_map(wrong).collect()
}

/// Returns the circles of modules that are larger than allowed.
fn circles(modules: &Modules) -> BTreeSet<Vec<&String>> {
    let reach: BTreeMap<&String, BTreeSet<&String>> = modules
        .keys()
        .map(|module| (module, reachable(modules, module)))
        .collect();
    let circle = |module: &&String| -> Vec<&String> {
        reach[*module]
            .iter()
            .filter(|other| reach[**other].contains(*module))
            .copied()
            .collect()
    };
    modules
        .keys()
        .map(|module| circle(&module))
        .filter(|circle| circle.len() > LARGEST_CIRCLE)
        .collect()
}

#[test]
fn no_layer_of_sut_uses_a_higher_one() {
    let modules = modules("sut");
    assert!(
        modules.keys().any(|module| module == "programs::tomcat"),
        "{modules:?}"
    );
    let upward = upward(&modules);
    assert!(upward.is_empty(), "{upward:#?}");
}

#[test]
fn no_circle_of_modules_is_larger_than_three_files() {
    for name in ["model", "sut", "lab", "judge", "prony"] {
        let modules = modules(name);
        let circles = circles(&modules);
        assert!(circles.is_empty(), "{name}: {circles:#?}");
    }
}

#[test]
fn an_upward_edge_and_a_circle_are_found() {
    let module = |(name, text): (&str, &str)| (name.to_owned(), paths(text));
    let sources = [
        (
            "files::work",
            "use crate::error::Error;\nuse crate::tools::site::Site;",
        ),
        (
            "tools::site",
            "use crate::files::work::{self, WorkFolder};\n// crate::server::port",
        ),
        (
            "server",
            "fn f(of: crate::Error) {}\n#[cfg(test)]\nuse crate::nothing;",
        ),
    ];
    let modules: Modules = sources.into_iter().map(module).collect();
    assert_eq!(
        upward(&modules),
        ["files::work uses tools::site::Site", "server uses Error"]
    );
    let ring =
        ["a", "b", "c", "d"]
            .iter()
            .zip(["use crate::b;", "use crate::c;", "use crate::d;", "use crate::a;"]);
    let mut ring: Modules = ring.map(|(name, text)| module((name, text))).collect();
    assert_eq!(circles(&ring).len(), 1);
    ring.remove("d");
    assert!(circles(&ring).is_empty());
}
