//! `prony check` and `prony init`: a file is checked without running anything, and a new one is written that passes the check.

use crate::home::{Ended, Home, wait_for};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const TWO: &str = "arms = [\"tomcat:9.0.95\", \"tomcat:10.1.29\"]\n";

/// Checks a file with this text, and makes sure that nothing was downloaded.
fn checked(text: &str, more: &[&str]) -> Ended {
    let home = Home::empty();
    let file = home.file("mine.toml", text);
    let ended = home.run(&[&["check", &file], more].concat());
    assert!(!home.cache().join("servers").exists(), "something was downloaded");
    ended
}

#[test]
fn a_right_file_is_described_without_running_it() {
    let text = format!(
        "{TWO}[load]\nconnections = [8, 16]\n[design]\nbudget = \"4m\"\n[quick.load]\nconnections = 2\n"
    );
    let ended = checked(&text, &[]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    for part in [
        "mine.toml: no mistake found",
        "Which is faster for GET /json: tomcat:9.0.95 or tomcat:10.1.29?",
        "tomcat:9.0.95, the baseline",
        "connections = 8, 16, keepalive = true",
        "budget = 240 s",
        "time: 4m at most",
    ] {
        assert!(ended.stdout.contains(part), "`{part}` is missing in:\n{}", ended.stdout);
    }
    let quick = checked(&text, &["--quick", "--lang", "zh"]);
    assert!(
        quick.stdout.contains("未发现错误") && quick.stdout.contains("connections = 2,"),
        "{}",
        quick.stdout
    );
}

#[test]
fn all_mistakes_of_a_text_are_shown_at_once() {
    let ended =
        checked(&format!("{TWO}[load]\nconections = 4\n[design]\nstarts = 2\nbudget = \"soon\"\n"), &[]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""));
    for part in ["mine.toml:3:1", "did you mean `connections`?", "mine.toml:5:10", "mine.toml:6:10", "^^^^^^"]
    {
        assert!(ended.stderr.contains(part), "`{part}` is missing in:\n{}", ended.stderr);
    }
}

#[test]
fn everything_that_a_run_would_lack_is_shown_at_once() {
    let text = r#"arms = [
        { name = "one", server = "jar", jar = "missing.jar" },
        { name = "two", server = "tomcat:10.1.29", war = "missing.war" },
        { name = "three", server = "command", command = ["./missing", "{port}"] },
    ]"#;
    let ended = checked(text, &[]);
    assert_eq!(ended.code, Some(2), "{}", ended.stdout);
    for part in ["missing.jar", "missing.war", "/missing is not there"] {
        assert_eq!(ended.stderr.matches(part).count(), 1, "{part}:\n{}", ended.stderr);
    }
    assert!(ended.stderr.matches("error: ").count() >= 3, "{}", ended.stderr);
}

#[test]
fn a_line_is_checked_without_the_network_and_by_its_lock_file() {
    let text = "arms = [\"tomcat:9.0.95\", \"tomcat:10.1\"]\n";
    let ended = checked(text, &[]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stdout.contains("Maven for the newest tomcat:10.1"), "{}", ended.stdout);
    let home = Home::empty();
    let file = home.file("mine.toml", text);
    home.file("mine.lock", "[newest]\n\"tomcat:10.1\" = \"tomcat:10.1.29\"\n");
    let ended = home.run(&["check", &file]);
    assert!(ended.stdout.contains("tomcat:10.1.29\n") && !ended.stdout.contains("Maven"), "{}", ended.stdout);
}

/// Runs `prony` in a folder.
fn run_in(home: &Home, folder: &Path, arguments: &[&str]) -> Ended {
    Ended::from(home.prony(arguments).current_dir(folder).output().expect("prony runs"))
}

/// Writes a ZIP file with one file in it.
fn zip(folder: &Path, archive: &str, name: &str, content: &str) {
    let code = "import sys, zipfile\nwith zipfile.ZipFile(sys.argv[1], 'w') as z: z.writestr(sys.argv[2], sys.argv[3])";
    let status =
        Command::new("python3").args(["-c", code, archive, name, content]).current_dir(folder).status();
    assert!(status.expect("python3").success());
}

/// Checks a file that `prony init` wrote, and returns what it has besides comments.
fn accepted(home: &Home, folder: &Path, file: &str) -> String {
    let ended = run_in(home, folder, &["check", file]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let text = std::fs::read_to_string(folder.join(file)).expect("a file");
    assert!(text.contains("# "), "it has comments");
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

/// An application that deploys in a javax server, and one that Java starts.
fn applications(folder: &Path) {
    let web_app = "<web-app xmlns='http://xmlns.jcp.org/xml/ns/javaee' version='4.0'/>";
    zip(folder, "app.war", "WEB-INF/web.xml", web_app);
    let manifest = "Manifest-Version: 1.0\r\nMain-Class: Main\r\n\r\n";
    zip(folder, "app.jar", "META-INF/MANIFEST.MF", manifest);
}

/// Writes a file by `prony init`, and checks that it is accepted, has these parts, and is not overwritten.
fn initialized(home: &Home, folder: &Path, file: &str, options: &[&str], parts: &[&str]) {
    let arguments = [&["init", file], options].concat();
    let ended = run_in(home, folder, &arguments);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let text = accepted(home, folder, file);
    for part in parts {
        assert!(text.contains(part), "`{part}` is missing in:\n{text}");
    }
    let again = run_in(home, folder, &arguments);
    assert_eq!(again.code, Some(2));
    assert!(!again.stderr.is_empty());
    assert_eq!(accepted(home, folder, file), text, "it was overwritten");
}

#[test]
fn init_writes_files_that_check_accepts_and_overwrites_none() {
    let home = Home::empty();
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    applications(folder);
    let (war, servers) = (["--war", "app.war"], ["--servers", "tomcat:9,tomcat:10.1"]);
    let parts = ["war = \"app.war\"", "server = \"tomcat:9\"", "server = \"tomcat:10.1\""];
    initialized(&home, folder, "war.toml", &[war, servers].concat(), &parts);
    let options = ["--jar", "app.jar", "--path", "shop", "-c", "7"];
    let options_of_jvm = "jar = \"app.jar\", jvm_options = \"-XX:+UseParallelGC\"";
    let parts = [options_of_jvm, "path = \"/shop\"", "connections = 7"];
    initialized(&home, folder, "jar.toml", &options, &parts);
    let parts = ["url = \"http://127.0.0.1:8080\"", "path = \"/a?b=1\""];
    let options = ["--url", "http://127.0.0.1:8080/a?b=1"];
    initialized(&home, folder, "url.toml", &options, &parts);
    let parts = ["url = \"https://shop.test:8443\"", "allow = [\"shop.test\"]"];
    initialized(&home, folder, "elsewhere.toml", &["--url", "https://shop.test:8443/a"], &parts);
    initialized(&home, folder, "found.toml", &[], &["war = \"app.war\""]);
    let empty = tempfile::tempdir().expect("a folder");
    let parts = ["app = \"hello\"", "server = \"tomcat:11.0\""];
    initialized(&home, empty.path(), "own.toml", &["--lang", "zh"], &parts);
}

#[test]
fn init_refuses_what_would_not_run() {
    let home = Home::empty();
    let folder = tempfile::tempdir().expect("a folder");
    for (arguments, says) in [
        (&["init", "--servers", "tomact:9"] as &[&str], "did you mean `tomcat`?"),
        (&["init", "--war", "no.war"], "no.war"),
        (&["init", "--jar", "no.jar"], "no.jar"),
        (&["init", "--url", "http://"], "no WAR, no executable jar and no URL"),
        (&["init", "no/folder/x.toml", "--url", "http://127.0.0.1/"], "cannot write no/folder/x.toml"),
    ] {
        let ended = run_in(&home, folder.path(), arguments);
        assert_eq!(ended.code, Some(2), "{arguments:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(says), "{arguments:?}: {}", ended.stderr);
    }
    // prony knows the API of a WAR by the names in its classes.
    zip(folder.path(), "new.war", "WEB-INF/classes/A.class", "jakarta/servlet/http/HttpServlet");
    let options = ["init", "--war", "new.war", "--servers", "tomcat:9,tomcat:10.1"];
    let ended = run_in(&home, folder.path(), &options);
    assert!(
        ended.code == Some(2) && ended.stderr.contains("speaks javax, and this WAR jakarta"),
        "{}",
        ended.stderr
    );
    std::fs::remove_file(folder.path().join("new.war")).expect("removed");
    std::fs::write(folder.path().join("pom.xml"), "<project/>").expect("a file");
    let ended = run_in(&home, folder.path(), &["init"]);
    assert!(ended.stderr.contains("hint: build it by `mvn package`"), "{}", ended.stderr);
    std::fs::rename(folder.path().join("pom.xml"), folder.path().join("build.xml")).expect("renamed");
    let ended = run_in(&home, folder.path(), &["init"]);
    assert!(ended.code == Some(2) && ended.stderr.contains("but build.xml"), "{}", ended.stderr);
    let files = std::fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(files, 1, "a file was written");
}

#[test]
fn init_asks_three_questions_on_a_terminal() {
    let home = Home::empty();
    let folder = tempfile::tempdir().expect("a folder");
    let command = format!("{} init mine.toml", env!("CARGO_BIN_EXE_prony"));
    // `script` gives the program a terminal; it ends the program when its own input ends.
    let mut script = home.command("script", &["-qec", &command, "/dev/null"]);
    script.current_dir(folder.path());
    let mut script = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("script runs");
    let mut input = script.stdin.take().expect("its input");
    input.write_all(b"\n/json\ntomcat:9.0.95, jetty:12.1.12\n").expect("answers");
    wait_for("the file", 20, || folder.path().join("mine.toml").exists());
    drop(input);
    let ended = Ended::from(script.wait_with_output().expect("script ends"));
    assert_eq!(ended.stdout.matches('?').count(), 3, "{}", ended.stdout);
    let text = accepted(&home, folder.path(), "mine.toml");
    for part in ["app = \"hello\"", "path = \"/json\"", "server = \"jetty:12.1.12\""] {
        assert!(text.contains(part), "`{part}` is missing in:\n{text}");
    }
}
