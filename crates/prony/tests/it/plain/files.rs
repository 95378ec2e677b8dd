//! Mistakes in files and arguments are shown with line, column, carets and a hint; the exit code is 2, and nothing is downloaded.

use crate::home::Home;

fn refused(text: &str, expected: &[&str]) {
    let home = Home::empty();
    let file = home.file("bad.toml", text);
    let ended = home.run(&["run", &file]);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert_eq!(ended.stdout, "");
    for part in expected {
        assert!(ended.stderr.contains(part), "`{part}` is missing in:\n{}", ended.stderr);
    }
    assert!(!home.cache().exists(), "something was downloaded");
}

#[test]
fn a_wrong_key() {
    refused(
        "arms = [\"tomcat:9.0.95\", \"tomcat:10.1.29\"]\n[load]\nconections = 4\n",
        &["bad.toml:3:1", "^^^^^^^^^^", "hint: did you mean `connections`?"],
    );
}

#[test]
fn a_slip_is_said_in_the_readers_language() {
    let home = Home::empty();
    let file = home.file("bad.toml", "arms = [\"tomcat:9.0.95\", \"tomcat:10.1.29\"]\nconections = 4\n");
    let ended = home.run(&["run", &file, "--lang", "zh"]);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    for part in ["错误: 实验文件中没有 `conections` 这个键", "bad.toml:2:1", "提示: "] {
        assert!(ended.stderr.contains(part), "{}", ended.stderr);
    }
    let ended = home.run(&["compare", "tomact:9.0.95", "tomcat:10.1.29", "--lang", "zh"]);
    assert!(ended.stderr.contains("没有名为 `tomact` 的服务器"), "{}", ended.stderr);
}

#[test]
fn a_wrong_type() {
    refused(
        "arms = [\"tomcat:9.0.95\", \"tomcat:10.1.29\"]\n[load]\nconnections = \"many\"\n",
        &["bad.toml:3:15", "^^^^^^", "expected an integer"],
    );
}

#[test]
fn a_key_that_the_server_does_not_take() {
    refused(
        "arms = [\"tomcat:9.0.95\", { server = \"tomcat:10.1.29\", package = \"native\" }]",
        &["bad.toml:1:", "`tomcat` does not run a `native`", "hint: it takes: war"],
    );
    refused(
        "arms = [\"tomcat:9.0.95\", { server = \"jetty:12.1.12\", attributes = { a = 1 } }]",
        &["`jetty` has no `attributes`", "hint: its settings are its `properties`"],
    );
}

#[test]
fn a_jar_that_is_no_jar() {
    let arms = |arm: &str| format!("arms = [\"tomcat:9.0.95\", {{ server = \"jar\", {arm} }}]");
    refused(
        &arms("jar = \"bad.toml\""),
        &["bad.toml cannot be started as a jar", "hint: name one that runs by `java -jar`"],
    );
    refused(&arms("jar = \"missing.jar\""), &["missing.jar cannot be started", "No such file"]);
    refused(
        &arms("jar = \"missing.jar\", connector = \"nio\""),
        &["bad.toml:1:", "`connector` does not apply to a jar", "^^^"],
    );
}

#[test]
fn an_unknown_server() {
    refused(
        "arms = [\"tomact:9.0.95\", \"tomcat:10.1.29\"]",
        &["bad.toml:1:10", "unknown server `tomact`", "did you mean `tomcat`?"],
    );
}

#[test]
fn a_version_that_is_too_old() {
    refused(
        "arms = [\"tomcat:9.0.95\", \"tomcat:6.0.53\"]",
        &["bad.toml:1:27", "prony does not run tomcat 6.0.53", "hint: it runs tomcat [7.0.109,)"],
    );
}

#[test]
fn two_arms_with_the_same_name() {
    refused(
        "arms = [\n{ name = \"a\", server = \"tomcat:9.0.95\" },\n{ name = \"a\", server = \"tomcat:10.1.29\" }]",
        &["bad.toml:3:10", "two arms are called `a`"],
    );
}

#[test]
fn an_empty_list_of_arms() {
    refused("arms = []", &["bad.toml:1:8", "the list of arms is empty", "hint:"]);
}

#[test]
fn a_missing_file() {
    let ended = Home::empty().run(&["run", "no-such.toml"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("no-such.toml") && ended.stderr.contains("hint:"), "{}", ended.stderr);
}

#[test]
fn a_mistake_on_the_command_line() {
    let home = Home::empty();
    let ended = home.run(&["compare", "tomcat:9.0.95", "tomcat:10.1.29,theads=5"]);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(ended.stderr.contains("did you mean `threads`?"), "{}", ended.stderr);
    let ended = home.run(&["compare", "tomcat:9.0.95"]);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    let ended = home.run(&["cmpare"]);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(ended.stderr.contains("compare"), "{}", ended.stderr);
    assert!(!home.cache().exists(), "something was downloaded");
}

#[test]
fn flags_that_contradict_each_other_or_the_file() {
    let home = Home::empty();
    let file =
        home.file("gate.toml", "arms = [\"tomcat:9.0.95\", \"tomcat:10.1.29\"]\n[design]\ngate = \"3%\"\n");
    for (flags, said) in [
        (&["--until-sure", "--starts", "20"] as &[&str], "--until-sure"),
        (&["--margin", "2%"], "a gate and a margin of the headline"),
        (&["--margin", "cpu_per_request=2%"], "a gate and a margin of the headline"),
        (&["--margin", "speed=2%"], "unknown measure `speed`"),
        (&["--alpha", "2%"], "1%, 5% or 10%"),
    ] {
        let arguments: Vec<&str> = ["run", &file].into_iter().chain(flags.iter().copied()).collect();
        let ended = home.run(&arguments);
        assert_eq!(ended.code, Some(2), "{flags:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(said), "{flags:?}: {}", ended.stderr);
    }
    assert!(!home.cache().exists(), "something was downloaded");
}

/// Returns the path of a file with two lines as `prony calibrate` writes them, for this machine's class.
fn calibrated(home: &Home) -> String {
    let run = |verdict: &str, injected: &str| {
        format!(
            r#"{{"run":"r","class":"elsewhere","server":"tomcat:10.1.59","injected":{injected},"alpha":0.01,"verdict":"{verdict}","also_called":[],"ratio":null,"p_first":null,"starts":9,"elapsed":60.0,"posts":{{}}}}"#
        ) + "\n"
    };
    home.file("runs.jsonl", &(run("same", "null") + &run("faster", "null")))
}

#[test]
fn a_calibration_without_runs_shows_the_tally_of_this_class_of_machine_only() {
    let home = Home::empty();
    let file = calibrated(&home);
    let ended = home.run(&["calibrate", "aa", "tomcat:10.1.59", "--runs", "0", "--out", &file]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stdout.contains("0 runs, the same server twice"), "{}", ended.stdout);
}

#[test]
fn earlier_calibrations_burnt_cpu() {
    let home = Home::empty();
    let file = calibrated(&home);
    let old = std::fs::read_to_string(&file)
        .expect("two runs")
        .replace(r#""injected":null"#, r#""injected":{"share":0.03,"turns":300,"burnt":5e-7,"truth":1.03}"#);
    std::fs::write(&file, old).expect("a file");
    let ended = home.run(&["calibrate", "power", "tomcat:10.1.59", "--runs", "0", "--out", &file]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stdout.contains("more CPU per request"), "{}", ended.stdout);
}

#[test]
fn a_calibration_refuses_what_it_cannot_do() {
    let home = Home::empty();
    let broken = home.file("broken.jsonl", "{}\n");
    for (arguments, said) in [
        (&["calibrate", "aa", "--out", &broken] as &[&str], "broken.jsonl:1: missing field"),
        (&["calibrate", "aa", "--alpha", "3%"], "1%, 5% or 10%"),
        (&["calibrate", "aa", "tomcat:1.2.3"], "prony does not run tomcat 1.2.3"),
        (&["calibrate", "power", "tomcat:10.1.59,threads=virtual"], "cannot be counted"),
        (&["calibrate", "power", "--inject", "0"], "not a share"),
        (&["calibrate", "power", "--dose", "stall", "--inject", "60%"], "at most 50%"),
        (&["calibrate", "power", "--dose", "luck"], "bimodal"),
    ] {
        let ended = home.run(arguments);
        assert_eq!(ended.code, Some(2), "{arguments:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(said), "{arguments:?}: {}", ended.stderr);
    }
    assert!(!home.cache().exists(), "something was downloaded");
}

#[test]
fn colour_is_used_when_asked_for_and_not_in_files() {
    let home = Home::empty();
    let file = home.file("bad.toml", "arms = []");
    let escapes = |arguments: &[&str]| {
        let ended = home.run(arguments);
        assert_eq!(ended.code, Some(2), "{}", ended.stderr);
        ended.stderr.contains('\u{1b}')
    };
    assert!(!escapes(&["run", &file]));
    assert!(escapes(&["run", &file, "--color", "always"]));
}
