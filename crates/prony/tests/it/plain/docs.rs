//! The documentation: its links lead somewhere, every page is in the book, and every experiment that it names passes the check.

use crate::home::{Ended, Home};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    here.canonicalize().expect("the sources")
}

/// Returns the Markdown files in a folder, by path.
fn pages_in(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).expect("a folder");
    let files = entries.map(|entry| entry.expect("an entry").path());
    let mut pages: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
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
        let kept =
            text.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_' | ' '));
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
        in_book.push(page.canonicalize().unwrap_or_else(|problem| panic!("{link}: {problem}")));
    }
    let once: BTreeSet<&PathBuf> = in_book.iter().collect();
    assert_eq!(once.len(), in_book.len(), "a page is listed twice");
    let folders = ["docs", "docs/guide", "docs/posts"];
    let pages = folders.iter().flat_map(|folder| pages_in(folder));
    let missing: Vec<PathBuf> = pages.filter(|page| *page != summary && !once.contains(page)).collect();
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

/// Returns the experiment files that the documentation names.
fn named_experiments() -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    for page in pages() {
        // The picture in ARCHITECTURE.md shows how any file is run.
        let files = experiments(&read(&page)).into_iter();
        named.extend(files.filter(|file| file != "experiments/x.toml"));
    }
    named
}

/// Which of the tools are missing that some experiments of the documentation need.
struct Missing {
    memcached: bool,
    /// Why no engine can run a container, as prony says it; `None` where one can.
    engine: Option<String>,
}

impl Missing {
    /// Looks for the tools without prony, so that prony cannot excuse itself.
    fn on_this_machine() -> Self {
        Self { memcached: !is_on_path("memcached"), engine: why_no_engine() }
    }

    /// Returns exactly what `prony check` has to say of an experiment: an error and a hint for each arm that needs a missing tool.
    fn told_of(&self, experiment: &str) -> String {
        let file: toml::Table = toml::from_str(experiment).expect("a TOML file");
        let has_memcached = file.get("service").is_some_and(|services| services.get("memcached").is_some());
        let told = |arm: &toml::Value| {
            let name = arm.get("name")?.as_str()?;
            let is_here = arm.get("host").is_none();
            let is_contained = arm.get("container") == Some(&toml::Value::Boolean(true));
            let engine = self.engine.as_ref().filter(|_| is_here && is_contained);
            if let Some(why) = engine {
                return Some(format!(
                    "error: arm `{name}`: no container engine works here: {why}\nhint: install podman and runc \
                     (Debian: apt-get install podman runc), or start docker; or take out `container`\n"
                ));
            }
            (self.memcached && is_here && has_memcached).then(|| {
                format!(
                    "error: arm `{name}`: the service memcached cannot be started: memcached is not there\n\
                     hint: install it (Debian: apt-get install memcached)\n"
                )
            })
        };
        let arms = file["arms"].as_array().expect("arms");
        arms.iter().filter_map(told).collect::<Vec<_>>().join("\n")
    }
}

/// Whether a program is in a folder of `PATH`.
fn is_on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Why no engine can run a container here. A podman that is installed has to work; a docker only where its daemon runs.
fn why_no_engine() -> Option<String> {
    if is_on_path("podman") {
        return None;
    }
    if !is_on_path("docker") {
        return Some("neither podman nor docker is installed".to_owned());
    }
    let asked = Command::new("docker").arg("version").output().expect("docker");
    let said = String::from_utf8_lossy(&asked.stderr);
    let last = said.trim().lines().next_back().unwrap_or_default();
    (!asked.status.success()).then(|| format!("docker: {last}"))
}

/// Checks an experiment by `prony`, and returns what is wrong with the answer; `None` if it is right.
fn wrong_answer(file: &str, missing: &Missing, mut check: Command) -> Option<String> {
    let told = missing.told_of(&read(&root().join(file)));
    let ended = Ended::from(check.output().expect("prony runs"));
    let is_right = match told.is_empty() {
        true => ended.code == Some(0),
        false => (ended.code, &ended.stderr) == (Some(2), &told),
    };
    (!is_right).then(|| {
        let Ended { code, stderr, .. } = ended;
        format!("{file}: {code:?}\n{stderr}where this was expected:\n{told}")
    })
}

#[test]
fn every_experiment_that_the_documentation_names_passes_the_check() {
    let named = named_experiments();
    assert!(named.len() >= 8, "only {} are named", named.len());
    let (home, missing) = (Home::empty(), Missing::on_this_machine());
    let wrong = named.iter().filter_map(|file| {
        let path = root().join(file);
        let check = home.prony(&["check", path.to_str().expect("UTF-8")]);
        wrong_answer(file, &missing, check)
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Fills a folder with links to all programs in `PATH` except some.
fn link_programs_except(except: &[&str], folder: &Path) {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).filter_map(|folder| fs::read_dir(folder).ok());
    for program in folders.flat_map(Iterator::flatten) {
        let link = folder.join(program.file_name());
        // If several programs have the same name, the first of them is run.
        if !except.iter().any(|name| program.file_name() == **name) && link.symlink_metadata().is_err() {
            std::os::unix::fs::symlink(program.path(), link).expect("a link");
        }
    }
}

#[test]
fn an_experiment_that_needs_a_missing_tool_fails_the_check_and_the_tool_is_named() {
    let (home, programs) = (Home::empty(), tempfile::tempdir().expect("a folder"));
    link_programs_except(&["memcached", "podman", "docker"], programs.path());
    let missing =
        Missing { memcached: true, engine: Some("neither podman nor docker is installed".to_owned()) };
    let named = named_experiments().into_iter();
    let named: Vec<String> =
        named.filter(|file| !missing.told_of(&read(&root().join(file))).is_empty()).collect();
    assert!(named.len() >= 5, "only {named:?} need a tool");
    let wrong = named.iter().filter_map(|file| {
        let path = root().join(file);
        let mut check = home.prony(&["check", path.to_str().expect("UTF-8")]);
        check.env("PATH", programs.path());
        wrong_answer(file, &missing, check)
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
