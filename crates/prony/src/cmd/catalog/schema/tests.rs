//! The schema is compared with the parser, and with all experiments of the repository.

use super::*;
use crate::available;
use ask::experiment::Experiment;
use ask::slip::{Hint, Listing};
use jsonschema::Validator;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn validator() -> Validator {
    jsonschema::validator_for(&schema()).expect("the schema is one")
}

/// Returns where a file does not fit the schema.
fn misfits(validator: &Validator, text: &str) -> Vec<String> {
    let data: Json = toml::from_str(text).expect("TOML");
    let errors = validator.iter_errors(&data);
    errors.map(|error| error.instance_path().to_string()).collect()
}

/// Adds the experiments in this folder, each with its path.
fn collect_experiments(folder: &Path, files: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect_experiments(&path, files);
        } else if path.extension().is_some_and(|end| end == "toml") {
            files.push((path.display().to_string(), fs::read_to_string(&path).expect("a file")));
        }
    }
}

/// Adds the experiments of the cases that are kept in one text; `bench/wild.py` tells its form.
fn collect_wild_cases(text: &str, files: &mut Vec<(String, String)>) {
    let all = text.split("==== ").filter_map(|file| file.split_once('\n'));
    let cases = all.filter(|(path, _)| path.ends_with("/case.toml"));
    files.extend(cases.map(|(path, text)| (path.to_owned(), text.to_owned())));
}

#[test]
fn the_schema_accepts_every_experiment_of_the_repository() {
    let folder = Path::new(ROOT).join("experiments");
    let mut files = Vec::new();
    collect_experiments(&folder, &mut files);
    let wild = fs::read_to_string(folder.join("calibration/wild/open.txt")).expect("a file");
    collect_wild_cases(&wild, &mut files);
    let validator = validator();
    for (path, text) in &files {
        let is_scenario = text.contains("[[scenario]]") && !text.contains("arms = [");
        if !is_scenario {
            assert_eq!(misfits(&validator, text), [""; 0], "{path}");
        }
    }
    assert!(files.len() > 100, "{} files", files.len());
}

/// Two arms, which every file of these tests has.
const ARMS: &str = "arms = [\"tomcat:9.0.95\", \"tomcat:10.1.29\"]\n";

#[test]
fn the_schema_refuses_typical_mistakes() {
    let validator = validator();
    for (text, place) in [
        ("[load]\nconections = 4", "/load"),
        ("[load]\nconnections = \"many\"", "/load/connections"),
        ("[load]\nconnections = 0", "/load/connections"),
        ("[load]\nfind = \"capasity\"", "/load/find"),
        ("[load]\nthink = true", "/load/think"),
        ("[design]\nbudget = \"4 minutes\"", "/design/budget"),
        ("[design]\nstarts = 2", "/design/starts"),
        ("[design]\nmargin = { speed = \"2%\" }", "/design/margin"),
        ("[design]\nalpha = \"one\"", "/design/alpha"),
        ("[quick.load]\nkeepalive = \"no\"", "/quick/load/keepalive"),
        ("[[request]]\nmethod = 5", "/request/0/method"),
        ("[[request]]\ngrpc = \"a.B/C\"\nstatus = \"NOT_OK\"", "/request/0/status"),
        ("[[request]]\npath = \"/\"\nstatus = 20", "/request/0/status"),
        ("[require]\nspeed = 3", "/require/speed"),
        ("[service.memcached]\ncomand = [\"memcached\"]", "/service/memcached"),
        ("budget = \"4m\"", ""),
    ] {
        let misfits = misfits(&validator, &format!("{ARMS}{text}\n"));
        assert_eq!(misfits, [place], "{text}");
    }
    assert_eq!(misfits(&validator, ARMS), [""; 0]);
    assert_eq!(misfits(&validator, "[load]\n"), [""], "no arms");
}

/// Whether a schema accepts a value, with what it refers to in the whole schema.
fn arm_misfits(arm: &str) -> Vec<String> {
    misfits(&validator(), &format!("arms = [{{ server = \"tomcat:1\", {arm} }}]\n"))
}

#[test]
fn the_schema_refuses_the_arms_that_prony_refuses() {
    assert_eq!(arm_misfits("threads = 5"), [""; 0]);
    assert_eq!(arm_misfits("threads = \"virtual\", jdk = \"/jdk\""), [""; 0]);
    for wrong in ["theads = 5", "threads = 0", "threads = \"many\"", "connector = \"bio\"", "access_log = 1"]
    {
        assert_eq!(arm_misfits(wrong), ["/arms/0"], "{wrong}");
    }
}

#[test]
fn the_schema_names_the_setting_of_each_kind_of_server() {
    let schema = schema();
    let key = &schema["$defs"]["arm"]["properties"]["accept_count"];
    assert_eq!(key["x-settings"]["tomcat"], "acceptCount");
    assert_eq!(key["x-settings"]["spring-boot-tomcat"], "server.tomcat.accept-count");
    assert_eq!(key["x-taken-by"], json!(["NAME:VERSION", "jar with Spring Boot"]));
}

/// A table of a file: the lines that open it, and its keys.
struct TablePlace {
    head: String,
    keys: &'static [FileKey],
    /// Whether the table takes other keys, too.
    is_open: bool,
}

/// Collects the tables below `keys`. `path` is the path of the table that has `keys`. `list` is the head of the list
/// that contains this table, and is empty if no list contains it.
fn collect_tables(list: &str, path: &str, keys: &'static [FileKey], places: &mut Vec<TablePlace>) {
    for key in keys {
        let path = format!("{path}{}", key.name);
        let forms = match &key.form {
            Form::AnyOf(forms) => *forms,
            form => std::slice::from_ref(form),
        };
        for form in forms {
            let (head, keys, is_open) = match form {
                Form::Table(keys) => (format!("{list}[{path}]\n"), *keys, false),
                Form::Named(Form::Table(keys)) => (format!("[{path}.memcached]\n"), *keys, false),
                Form::ListOf(Form::Table(keys)) => (format!("[[{path}]]\n"), *keys, false),
                Form::ListOf(Form::OpenTable(keys, _)) => (format!("[[{path}]]\n"), *keys, true),
                _ => continue,
            };
            let list = if head.starts_with("[[") { head.as_str() } else { list };
            collect_tables(list, &format!("{path}."), keys, places);
            places.push(TablePlace { head, keys, is_open });
        }
    }
}

fn tables() -> Vec<TablePlace> {
    let mut places = vec![TablePlace { head: String::new(), keys: FILE, is_open: false }];
    collect_tables("", "", FILE, &mut places);
    places
}

/// A key that no table has, and that resembles none.
const UNKNOWN: &str = "qqqqqqqqqqqq";

#[test]
fn the_tree_has_the_keys_that_the_parser_reads() {
    for TablePlace { head, keys, is_open } in tables() {
        if is_open {
            continue;
        }
        let mut text = match head.is_empty() {
            true => format!("{UNKNOWN} = 1\n{ARMS}"),
            false => format!("{ARMS}{head}{UNKNOWN} = 1\n"),
        };
        for key in keys.iter().filter(|key| key.is_required && !head.is_empty()) {
            let _ = writeln!(text, "{} = \"/\"", key.name);
        }
        if head == "[[data]]\n" {
            text.push_str("[[scenario]]\n[[scenario.step]]\nget = \"/\"\n");
        }
        assert_eq!(keys_read(&text), [key_names(keys)], "{text}: amend ask::experiment::keys");
    }
    let step = format!("{ARMS}[[scenario]]\n[[scenario.step]]\nget = \"/\"\n{UNKNOWN} = 1\n");
    assert_eq!(keys_read(&step), [key_names(STEP)], "amend ask::experiment::keys");
}

fn key_names(keys: &'static [FileKey]) -> BTreeSet<String> {
    keys.iter().map(|key| key.name.to_owned()).collect()
}

/// Returns the keys of each table with an unknown key, as the parser lists them.
fn keys_read(text: &str) -> Vec<BTreeSet<String>> {
    let known = available::in_catalog();
    let rejected = Experiment::parse(text, "x", &known).expect_err("an unknown key");
    let hints = rejected.diagnostics.iter().filter_map(|problem| problem.hint.as_deref());
    let listed = hints.filter_map(|hint| match hint {
        Hint::Listed { what: Listing::KeysOf(_), items } => Some(items.iter().cloned().collect()),
        _ => None,
    });
    listed.collect()
}

#[test]
fn the_schema_refuses_no_value_that_prony_accepts() {
    const VALUES: [&str; 26] = [
        "\"text\"",
        "\"/path\"",
        "\"1m30s\"",
        "\"500ms\"",
        "\"1.5\"",
        "\"2%\"",
        "\"1%\"",
        "\"50/2s\"",
        "\"10k/m\"",
        "\"50ms-150ms\"",
        "\"exponential:100ms\"",
        "\"45Mbit\"",
        "\"40000-40099\"",
        "\"throughput\"",
        "\"jfr\"",
        "\"together\"",
        "\"capacity\"",
        "\"tcp\"",
        "\"0-2,5\"",
        "0.05",
        "4",
        "true",
        "[4, 8]",
        "[\"a\", \"{port}\"]",
        "{ throughput = \"3%\" }",
        "{ en = \"Why?\" }",
    ];
    let (known, validator) = (available::in_catalog(), validator());
    let mut accepted = 0;
    for TablePlace { head, keys, .. } in tables() {
        for (key, value) in keys.iter().flat_map(|key| VALUES.map(|value| (key, value))) {
            let text = match head.is_empty() {
                true => format!("{} = {value}\n{ARMS}", key.name),
                false => format!("{ARMS}{head}{} = {value}\n", key.name),
            };
            // Variables and data are read only where there is a scenario.
            if ["vars", "data"].contains(&key.name) && head.is_empty() || head == "[[data]]\n" {
                continue;
            }
            let is_toml = toml::from_str::<Json>(&text).is_ok();
            if is_toml && Experiment::parse(&text, "x", &known).is_ok() {
                accepted += 1;
                assert_eq!(misfits(&validator, &text), [""; 0], "{text}");
            }
        }
    }
    assert!(accepted > 100, "only {accepted} files were accepted");
}
