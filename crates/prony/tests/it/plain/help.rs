//! The output of `--help`, `doctor` and `catalog`.

use crate::home::{Ended, Home};

/// Returns the sub-commands that a help lists, without `help` itself.
fn listed(help: &str) -> Vec<&str> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.take_while(|line| !line.is_empty());
    // A line that goes on is further to the right.
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    names.filter(|name| !name.is_empty() && *name != "help").collect()
}

/// Adds the help of a command, and of all sub-commands that it lists.
fn add_help(home: &Home, command: &[&str], shown: &mut String) {
    let arguments = [command, &["--help"]].concat();
    let ended = home.run(&arguments);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    shown.push_str(&format!("=== prony {}\n{}\n", arguments.join(" "), ended.stdout));
    for name in listed(&ended.stdout) {
        add_help(home, &[command, &[name]].concat(), shown);
    }
}

#[test]
fn help_of_every_command() {
    let mut shown = String::new();
    add_help(&Home::empty(), &[], &mut shown);
    assert!(shown.contains("=== prony clean --help\n"), "the last one is missing");
    assert!(!shown.contains("__guard"));
    assert!(!shown.contains("__pages"));
    assert!(!shown.contains("PATIENCE"));
    insta::assert_snapshot!(shown);
}

#[test]
fn a_patience_that_is_none_is_refused() {
    let home = Home::empty();
    for (scale, code) in [(0.25, 0), (0.0, 2)] {
        let ended = Ended::from(
            home.prony(&["catalog"]).env("PRONY_PATIENCE", format!("{scale}")).output().expect("prony runs"),
        );
        assert_eq!(ended.code, Some(code), "{}", ended.stderr);
        let is_told = ended.stderr.contains("the scale of patience is a number from 0.1 to 10");
        assert_eq!(is_told, code == 2, "{}", ended.stderr);
    }
}

#[test]
fn man_pages_and_completions_know_every_command_but_hidden_ones() {
    let home = Home::empty();
    let folder = tempfile::tempdir().expect("a folder");
    let ended = home.run(&["__pages", folder.path().to_str().expect("a path in UTF-8")]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let read = |name: &str| {
        std::fs::read_to_string(folder.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    assert!(read("man/prony-run.1").contains("budget"));
    let overview = read("man/prony.1");
    let mut pages = std::fs::read_dir(folder.path().join("man")).expect("man pages");
    assert!(pages.all(|page| !page.expect("a page").file_name().to_string_lossy().contains("__")));
    for name in ["completions/prony.bash", "completions/_prony", "completions/prony.fish"] {
        let text = read(name);
        for command in ["compare", "doctor"] {
            assert!(text.contains(command), "{name} lacks {command}");
            assert!(overview.contains(command));
        }
        assert!(!text.contains("__guard"), "{name}");
        assert!(!text.contains("__pages"), "{name}");
    }
}

#[test]
fn doctor_lists_all_checks() {
    let ended = Home::empty().run(&["doctor"]);
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    for what in [
        "JDK",
        "Maven",
        "CPUs",
        "memory",
        "priority",
        "descriptors",
        "ports",
        "cgroup",
        "somaxconn",
        "SYN retries",
    ] {
        assert!(ended.stdout.contains(what), "{what} is missing in:\n{}", ended.stdout);
    }
}

#[test]
fn the_catalog_lists_everything_that_a_file_can_use() {
    let home = Home::empty();
    let text = home.run(&["catalog"]).stdout;
    let data: serde_json::Value =
        serde_json::from_str(&home.run(&["catalog", "--json"]).stdout).expect("JSON");
    let names = |what: &str| -> Vec<String> {
        let entries = data[what].as_array().expect("a list").iter();
        entries.map(|entry| entry["name"].as_str().expect("a name").to_owned()).collect()
    };
    for (what, one) in [("servers", "tomcat"), ("applications", "hello"), ("services", "memcached")] {
        let names = names(what);
        assert!(names.iter().any(|name| name == one), "{what}: {names:?}");
        assert!(names.iter().all(|name| text.contains(name.as_str())), "{what}: {names:?} in\n{text}");
    }
    for server in data["servers"].as_array().expect("servers") {
        let versions = server["versions"].as_array().expect("versions");
        assert!(!versions.is_empty(), "{server}");
        for version in versions {
            assert!(text.contains(version["version"].as_str().expect("a version")), "{version}");
            assert!(version["java"].as_u64() >= Some(7), "{version}");
        }
    }
    assert!(!data["jdks"].as_array().expect("JDKs").is_empty());
    assert!(!home.cache().exists(), "something was downloaded");
}

#[test]
fn an_empty_history_is_no_error_and_an_unknown_run_is() {
    let home = Home::empty();
    assert_eq!(home.run(&["history"]).code, Some(0));
    let ended = home.run(&["report", "2026"]);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(ended.stderr.contains("hint: `prony history`"), "{}", ended.stderr);
}
