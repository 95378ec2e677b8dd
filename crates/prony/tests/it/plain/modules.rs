//! The modules of a crate and which of them use which, read from the sources: by paths that begin with `crate`, `super`, `self` or a
//! child module. A name that a module has imported leads to the module where it is defined.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Most imports that one name is followed through, so that two globs do not lead in a circle.
const MOST_IMPORTS: usize = 8;

/// The modules of a crate by path, such as `tools::jdk`; the root is the empty path.
pub(super) struct Modules(BTreeMap<String, Module>);

/// What the source of a module names.
#[derive(Debug, Default)]
struct Module {
    /// All paths from the root of the crate that its code names.
    paths: BTreeSet<String>,
    /// The paths of what it imports, by the name that it has here.
    imports: BTreeMap<String, String>,
    /// Child modules that exist in tests only.
    tests: BTreeSet<String>,
}

impl Modules {
    /// Reads the sources of a crate of the workspace.
    pub(super) fn of_crate(name: &str) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name).join("src");
        let mut files = Vec::new();
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).expect("a folder of sources").flatten() {
                let path = entry.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|end| end == "rs") {
                    let text = fs::read_to_string(&path).expect("a source");
                    files.push((module(path.strip_prefix(&root).expect("within it")), text));
                }
            }
        }
        Self::read(&files)
    }

    /// Reads sources, each with the path of its module.
    pub(super) fn read(files: &[(String, String)]) -> Self {
        let mut modules = BTreeMap::new();
        for (path, text) in files {
            modules.insert(path.clone(), Module::read(path, text));
        }
        let tests: Vec<String> = modules
            .iter()
            .flat_map(|(path, module)| module.tests.iter().map(move |test| join(path, test)))
            .collect();
        modules.retain(|path, _| !tests.iter().any(|test| is_within(path, test)));
        Self(modules)
    }

    /// Returns the paths of all modules.
    pub(super) fn paths(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }

    /// Returns the other modules that a module uses, without those that declare it: a module and its parent are one unit, in which
    /// children use what they share and the parent uses its children.
    pub(super) fn used_by(&self, module: &str) -> BTreeSet<&str> {
        let paths = self.0[module].paths.iter();
        let used = paths.map(|path| self.module_of(path, MOST_IMPORTS));
        used.filter(|used| !is_within(module, used)).collect()
    }

    /// Returns the module in which a path ends, through what modules on its way have imported.
    fn module_of(&self, path: &str, imports: usize) -> &str {
        let mut at = "";
        let mut rest = path;
        while !rest.is_empty() {
            let (name, behind) = rest.split_once("::").unwrap_or((rest, ""));
            match self.0.get_key_value(&join(at, name)) {
                Some((module, _)) => at = module,
                None => {
                    let import = self.0.get(at).and_then(|module| module.imports.get(name));
                    return match import.filter(|_| imports > 0) {
                        Some(import) => self.module_of(&join(import, behind), imports - 1),
                        None => self.key(at),
                    };
                }
            }
            rest = behind;
        }
        self.key(at)
    }

    fn key(&self, at: &str) -> &str {
        self.0.get_key_value(at).map_or("", |(path, _)| path)
    }

    /// Returns all modules that a module uses, directly or through others.
    fn reachable(&self, from: &str) -> BTreeSet<&str> {
        let mut reached = BTreeSet::new();
        let mut open: Vec<&str> = self.used_by(from).into_iter().collect();
        while let Some(module) = open.pop() {
            if self.0.contains_key(module) && reached.insert(module) {
                open.extend(self.used_by(module));
            }
        }
        reached
    }

    /// Returns the circles of more than so many modules that all use each other, directly or through others.
    pub(super) fn circles(&self, allowed: usize) -> BTreeSet<Vec<&str>> {
        let reach: BTreeMap<&str, BTreeSet<&str>> =
            self.paths().map(|module| (module.as_str(), self.reachable(module))).collect();
        let circle = |module: &&str| -> Vec<&str> {
            let returns = |other: &&&str| reach[**other].contains(module);
            reach[module].iter().filter(returns).copied().collect()
        };
        let circles = reach.keys().map(circle);
        circles.filter(|circle| circle.len() > allowed).collect()
    }
}

impl Module {
    fn read(path: &str, text: &str) -> Self {
        let (code, tests) = without_tests(&without_texts(text));
        let mut module = Self { tests, ..Self::default() };
        let children: Vec<&str> = code.lines().filter_map(declared).collect();
        let roots = Roots { path, children };
        for (at, named) in roots.paths(&code) {
            let import = is_import(&code[..at]);
            for path in named {
                let (path, name) = path.split_once(" as ").unwrap_or((&path, ""));
                let path = path.trim_end_matches("::self");
                let last = path.rsplit("::").next().unwrap_or_default();
                if import {
                    let name = if name.is_empty() { last } else { name };
                    module.imports.insert(name.to_owned(), path.to_owned());
                }
                module.paths.insert(path.trim_end_matches("::*").to_owned());
            }
        }
        module
    }
}

/// What paths in a module may begin with.
struct Roots<'a> {
    path: &'a str,
    children: Vec<&'a str>,
}

impl Roots<'_> {
    /// Returns the paths that code names, from the root of the crate, with the places where they begin.
    fn paths(&self, code: &str) -> Vec<(usize, Vec<String>)> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(word) = next_word(code, at) {
            let begin = &code[word.clone()];
            at = word.end;
            let is_inner = code[..word.start].ends_with(':') || code[..word.start].ends_with('.');
            let Some(rest) = code[at..].strip_prefix("::").filter(|_| !is_inner) else {
                continue;
            };
            let (root, rest) = match begin {
                "crate" => (String::new(), rest),
                "super" => above(self.path, rest),
                "self" => (self.path.to_owned(), rest),
                child if self.children.contains(&child) => (join(self.path, child), rest),
                _ => continue,
            };
            let mut paths = Vec::new();
            at = code.len() - expand(&root, rest, &mut paths).len();
            found.push((word.start, paths));
        }
        found
    }
}

/// Follows further `super` behind one.
fn above<'a>(path: &str, rest: &'a str) -> (String, &'a str) {
    let parent = path.rsplit_once("::").map_or("", |(parent, _)| parent);
    match rest.strip_prefix("super::") {
        Some(rest) => above(parent, rest),
        None => (parent.to_owned(), rest),
    }
}

/// Adds the paths that a path with braces stands for, and returns the code behind it.
fn expand<'a>(root: &str, code: &'a str, paths: &mut Vec<String>) -> &'a str {
    let code = code.trim_start();
    if let Some(mut rest) = code.strip_prefix('{') {
        while !rest.trim_start().starts_with('}') {
            let before = rest.len();
            rest = expand(root, rest, paths).trim_start();
            rest = rest.strip_prefix(',').unwrap_or(rest);
            if rest.is_empty() || rest.len() == before {
                return rest;
            }
        }
        return &rest.trim_start()[1..];
    }
    let end = code.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '*').unwrap_or(code.len());
    let (name, rest) = code.split_at(end);
    let path = join(root, name);
    if let Some(rest) = rest.strip_prefix("::") {
        return expand(&path, rest, paths);
    }
    if let Some(alias) = rest.strip_prefix(" as ") {
        let end = alias.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(alias.len());
        paths.push(format!("{path} as {}", &alias[..end]));
        return &alias[end..];
    }
    paths.push(path);
    rest
}

/// Whether a path that stands behind this code belongs to a `use`.
fn is_import(before: &str) -> bool {
    let statement = before.rsplit([';', '}']).next().unwrap_or_default();
    statement.split_whitespace().any(|word| word == "use")
}

/// Returns the name of the child module that a line declares.
fn declared(line: &str) -> Option<&str> {
    let name = line.trim().strip_suffix(';')?;
    let (_, name) = name.rsplit_once("mod ")?;
    (!name.contains(' ')).then_some(name)
}

fn next_word(code: &str, from: usize) -> Option<std::ops::Range<usize>> {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
    let start = from + code[from..].find(is_of_word)?;
    let end = code[start..].find(|c| !is_of_word(c)).unwrap_or(code.len() - start);
    Some(start..start + end)
}

fn join(path: &str, name: &str) -> String {
    match (path, name) {
        ("", one) | (one, "") => one.to_owned(),
        _ => format!("{path}::{name}"),
    }
}

/// Whether a path names a module or a module within it; the root contains all modules.
fn is_within(path: &str, module: &str) -> bool {
    let rest = path.strip_prefix(module);
    module.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// Returns the path of the module in a file: `tools::jdk` for `tools/jdk.rs` and for `tools/jdk/mod.rs`, nothing for the root.
fn module(file: &Path) -> String {
    let mut path = PathBuf::from(file);
    path.set_extension("");
    if ["mod", "lib", "main"].iter().any(|name| path.ends_with(name)) {
        path.pop();
    }
    let parts = path.iter().map(|part| part.to_string_lossy().into_owned());
    parts.collect::<Vec<_>>().join("::")
}

/// Returns the code without comments and without what stands in quotes.
fn without_texts(text: &str) -> String {
    let mut code = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['/', '"', '\'']) {
        code.push_str(&rest[..at]);
        let from = &rest[at..];
        let length = if from.starts_with("//") {
            from.find('\n').unwrap_or(from.len())
        } else if let Some(inner) = from.strip_prefix('"') {
            let marks: String = code.chars().rev().take_while(|c| *c == '#').collect();
            let is_raw = code.trim_end_matches('#').ends_with('r');
            1 + match is_raw {
                true => inner.find(&format!("\"{marks}")).map_or(inner.len(), |end| end + 1 + marks.len()),
                false => end_of_text(inner),
            }
        } else if from.starts_with("'\"'") {
            3
        } else if from.starts_with("'\\") {
            2 + from[3..].find('\'').map_or(1, |end| end + 2)
        } else {
            code.push_str(&from[..1]);
            1
        };
        rest = &from[length..];
    }
    code + rest
}

/// Returns where a text ends, behind its last quote.
fn end_of_text(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            '"' if !is_escaped => return at + 1,
            '\\' => is_escaped = !is_escaped,
            _ => is_escaped = false,
        }
    }
    text.len()
}

/// Returns the code without the items that exist in tests only, and the names of modules among them.
fn without_tests(code: &str) -> (String, BTreeSet<String>) {
    const MARK: &str = "#[cfg(test)]";
    let (mut kept, mut tests) = (String::new(), BTreeSet::new());
    let mut rest = code;
    while let Some((before, item)) = rest.split_once(MARK) {
        kept.push_str(before);
        let end = end_of_item(item);
        tests.extend(item[..end].lines().filter_map(declared).map(str::to_owned));
        rest = &item[end..];
    }
    (kept + rest, tests)
}

/// Returns where the item ends that the code begins with: behind its semicolon or its closing brace.
fn end_of_item(code: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in code.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => return at + 1,
            '}' => depth = depth.saturating_sub(1),
            ';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    code.len()
}
