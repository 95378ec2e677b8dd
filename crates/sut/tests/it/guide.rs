//! The tables of `docs/guide/servers.md`. A row of the first one is a release, the Java that a test starts it on, and what its log calls it.

use ask::arm::key::Key;
use ask::arm::keys;
use ask::kind::Kind;
use std::fs;
use std::path::Path;
use sut::Catalog;

/// A row of the table.
pub(crate) struct Row {
    /// `tomcat:10.1.29`.
    pub(crate) server: String,
    /// The release of Java.
    pub(crate) java: u32,
    /// What its log calls it: `Tomcat/10.1.29`.
    pub(crate) name: String,
}

fn guide() -> String {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/servers.md");
    fs::read_to_string(guide).expect("the guide")
}

/// The cells of each row of the table of the guide whose columns have these titles.
pub(crate) fn rows_below<const COLUMNS: usize>(titles: [&str; COLUMNS]) -> Vec<[String; COLUMNS]> {
    let rows = cells_below(&titles.map(str::to_owned)).into_iter();
    rows.map(|cells| cells.try_into().expect("the cells of the table")).collect()
}

fn cells_below(titles: &[String]) -> Vec<Vec<String>> {
    let text = guide();
    let mut rows = Vec::new();
    let mut is_wanted = false;
    for line in text.lines() {
        let Some(row) = line.strip_prefix("| ").and_then(|line| line.strip_suffix(" |")) else {
            // The line of dashes below the titles belongs to the table.
            is_wanted &= line.starts_with('|');
            continue;
        };
        let cells: Vec<String> = row.split('|').map(|cell| cell.trim().to_owned()).collect();
        match is_wanted {
            true => rows.push(cells),
            false => is_wanted = cells == titles,
        }
    }
    rows
}

/// The rows of the table of releases.
pub(crate) fn rows() -> Vec<Row> {
    let rows = rows_below(["server", "Java", "its log says"]);
    let read = |[server, java, name]: [String; 3]| Row {
        server: server.trim_matches('`').to_owned(),
        java: java.parse().expect("a release of Java"),
        name: name.trim_matches('`').to_owned(),
    };
    rows.into_iter().map(read).collect()
}

#[test]
fn the_guide_has_the_first_and_the_last_release_of_every_server() {
    let (catalog, rows) = (Catalog::embedded(), rows());
    for server in catalog.servers() {
        let tested = catalog.tested(server);
        for version in tested.first().into_iter().chain(tested.last()) {
            let release = catalog.release(server, version).expect("prony runs it");
            let row = rows.iter().find(|row| row.server == release.spec());
            let row = row.unwrap_or_else(|| panic!("docs/guide/servers.md has no {}", release.spec()));
            assert!(row.java >= release.ability.java, "{}", row.server);
        }
    }
}

#[test]
fn every_server_of_the_guide_is_started_by_a_test() {
    let tests = include_str!("measured/releases.rs");
    for row in rows() {
        let server = row.server.split(':').next().unwrap_or_default();
        if matches!(Kind::named(server), Some(Kind::Row(_))) {
            continue; // One test starts all of these.
        }
        let test = format!("start_releases_of(\"{server}\")");
        assert!(tests.contains(&test), "no test says {test}");
    }
}

/// What sets something in a server has a column of its own.
#[test]
fn the_guide_has_the_setting_of_every_server_for_every_key() {
    let keys: Vec<&Key> = keys::all().filter(|key| key.sets_something()).collect();
    let names = keys.iter().map(|key| format!("`{}`", key.name));
    let titles: Vec<String> = std::iter::once("server".to_owned()).chain(names).collect();
    let rows = cells_below(&titles);
    for server in Catalog::embedded().servers() {
        let kind = Kind::named(server).expect("a kind");
        let row = rows.iter().find(|row| row[0] == format!("`{server}`"));
        let row =
            row.unwrap_or_else(|| panic!("docs/guide/servers.md has no keys of {server} below {titles:?}"));
        for (key, cell) in keys.iter().zip(&row[1..]) {
            let setting = key.settings().find(|setting| setting.kind == kind);
            let expected =
                setting.map_or_else(|| "refused".to_owned(), |setting| format!("`{}`", setting.name));
            assert!(cell.starts_with(&expected), "{} on {server} is {expected}, and not {cell}", key.name);
        }
    }
}
