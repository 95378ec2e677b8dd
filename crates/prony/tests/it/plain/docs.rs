//! The documentation: its links lead somewhere, every page is in the book, and every experiment that it names passes the check.

use crate::home::Home;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    here.canonicalize().expect("the sources")
}

/// Returns the Markdown files in a folder, by path.
fn pages_in(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).expect("a folder");
    let files = entries.map(|entry| entry.expect("an entry").path());
    let mut pages: Vec<PathBuf> = files
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
        .collect();
    pages.sort();
    pages
}

/// Returns the pages that users and developers read.
fn pages() -> Vec<PathBuf> {
    let folders = ["", "docs", "docs/guide", "docs/posts", "bench", "apps", "fuzz"];
    folders.iter().flat_map(|folder| pages_in(folder)).collect()
}

fn read(page: &Path) -> String {
    fs::read_to_string(page).unwrap_or_else(|problem| panic!("{}: {problem}", page.display()))
}

/// Returns the lines of a page outside of blocks of code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut in_block = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        in_block ^= fence;
        !fence && !in_block
    })
}

/// Returns the targets of the links of a page, without those to other sites.
fn links(text: &str) -> Vec<String> {
    let mut targets = Vec::new();
    for line in prose(text) {
        let without_code: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        let parts = without_code.split("](").skip(1);
        let parts = parts.filter_map(|part| part.split([')', ' ']).next());
        targets.extend(parts.filter(|part| !part.contains("://")).map(str::to_owned));
    }
    targets
}

/// Returns the names by which the headings of a page are linked, as GitHub and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    let mut names = BTreeSet::new();
    for heading in prose(text).filter_map(|line| line.split_once(' ').filter(|(mark, _)| is_mark(mark))) {
        let text = heading.1.split("](").next().unwrap_or_default();
        let kept = text
            .chars()
            .filter(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_' | ' '));
        let name = kept.collect::<String>().to_lowercase().trim().replace(' ', "-");
        let before = times.entry(name.clone()).or_default();
        names.insert(match *before {
            0 => name,
            again => format!("{name}-{again}"),
        });
        *before += 1;
    }
    names
}

fn is_mark(mark: &str) -> bool {
    (1..=6).contains(&mark.len()) && mark.bytes().all(|byte| byte == b'#')
}

#[test]
fn every_link_of_the_documentation_leads_somewhere() {
    let mut broken = Vec::new();
    let mut seen = 0;
    for page in pages() {
        let text = read(&page);
        for link in links(&text) {
            seen += 1;
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match path {
                "" => page.clone(),
                path => page.parent().expect("a folder").join(path),
            };
            let found = match target.exists() {
                true => anchor.is_empty() || anchors(&read(&target)).contains(anchor),
                false => false,
            };
            if !found {
                broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(seen > 100, "only {seen} links were found");
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_page_is_in_the_book_once() {
    let summary = root().join("docs/SUMMARY.md");
    let listed = links(&read(&summary));
    let mut in_book: Vec<PathBuf> = Vec::new();
    for link in &listed {
        let page = root().join("docs").join(link);
        in_book.push(
            page.canonicalize()
                .unwrap_or_else(|problem| panic!("{link}: {problem}")),
        );
    }
    let once: BTreeSet<&PathBuf> = in_book.iter().collect();
    assert_eq!(once.len(), in_book.len(), "a page is listed twice");
    let folders = ["docs", "docs/guide", "docs/posts"];
    let pages = folders.iter().flat_map(|folder| pages_in(folder));
    let missing: Vec<PathBuf> = pages
        .filter(|page| *page != summary && !once.contains(page))
        .collect();
    assert_eq!(missing, Vec::<PathBuf>::new(), "not in docs/SUMMARY.md");
}

/// Returns the experiment files that a page names.
fn experiments(text: &str) -> Vec<String> {
    let is_end = |letter: char| !(letter.is_ascii_alphanumeric() || "/-_.".contains(letter));
    let parts = text.split("experiments/").skip(1);
    let names = parts.map(|part| part.split(is_end).next().unwrap_or_default());
    let files = names.filter_map(|name| Some(format!("experiments/{}.toml", name.split_once(".toml")?.0)));
    files.collect()
}

#[test]
fn every_experiment_that_the_documentation_names_passes_the_check() {
    let mut named = BTreeSet::new();
    for page in pages() {
        // The picture in ARCHITECTURE.md shows how any file is run.
        let files = experiments(&read(&page)).into_iter();
        named.extend(files.filter(|file| file != "experiments/x.toml"));
    }
    assert!(named.len() >= 8, "only {} are named", named.len());
    let home = Home::empty();
    let wrong = named.iter().filter_map(|file| {
        let path = root().join(file);
        let ended = home.run(&["check", path.to_str().expect("UTF-8")]);
        (ended.code != Some(0)).then(|| format!("{file}: {:?}\n{}", ended.code, ended.stderr))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
