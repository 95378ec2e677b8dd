//! Fetching a distribution: every failure is one error with a hint and leaves nothing in the cache.

use crate::common::{GO_ON, Stub, eventually, files, lives};
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha512};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use sut::catalog::{Checksum, ChecksumSource};
use sut::{Catalog, Error, Release, Site, Source};

/// Copies the archive and counts the calls.
const COPY: &str = "echo call >> \"$HERE/calls\"; cp \"$HERE/archive\" \"$OUT/tomcat-10.1.29.tar.gz\"";

/// A small archive with the layout of a distribution; `extra` is one more entry.
fn archive(extra: Option<(&str, &[u8])>) -> Vec<u8> {
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    let entries = [("t/bin/catalina.sh", b"#!/bin/sh\n" as &[u8]), ("t/lib/a.jar", &[7; 5000])];
    for (name, data) in entries.into_iter().chain(extra) {
        let mut header = tar::Header::new_ustar();
        header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
        header.set_mode(0o750);
        header.set_size(data.len() as u64);
        header.set_cksum();
        builder.append(&header, data).expect("in memory");
    }
    builder.into_inner().and_then(GzEncoder::finish).expect("in memory")
}

/// A release whose archive has these bytes.
fn release(archive: &[u8]) -> Release {
    let catalog = Catalog::embedded();
    let mut release = catalog.lookup("tomcat:10.1.29").expect("known");
    let Source::Archive(known) = &mut release.source else { panic!("an archive") };
    known.sha512 = Some(Checksum { hex: sha512(archive), written: ChecksumSource::Catalog });
    release
}

fn sha512(bytes: &[u8]) -> String {
    let digest = Sha512::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A Maven that copies these bytes, and the release with this archive.
fn stub(archive: &[u8]) -> (Stub, Release) {
    let stub = Stub::new(COPY);
    fs::write(stub.file("archive"), archive).expect("written");
    (stub, release(archive))
}

fn fetch(release: &Release, site: &Site) -> Result<PathBuf, Error> {
    sut::fetch(release, site, &GO_ON).map(|tree| tree.home)
}

/// Checks that a failure left nothing, and that the same cache then accepts a right archive.
fn assert_not_poisoned(stub: &Stub) {
    stub.assert_nothing_kept();
    let good = archive(None);
    fs::write(stub.file("archive"), &good).expect("written");
    let home = fetch(&release(&good), &stub.site).expect("fetched after the failure");
    assert!(home.join("bin/catalina.sh").is_file());
}

#[test]
fn a_verified_copy_is_reused_without_maven() {
    let (stub, release) = stub(&archive(None));
    let home = fetch(&release, &stub.site).expect("fetched");
    assert_eq!(home, stub.site.cache.join("servers/tomcat-10.1.29"));
    let broken = Stub::new("echo 'must not be called' >&2; exit 1");
    let offline = Site { maven: broken.site.maven.clone(), ..stub.site.clone() };
    assert_eq!(fetch(&release, &offline).expect("cached"), home);
    assert!(sut::fetch::cached(&release, &offline).is_some());
    assert!(files(&stub.site.cache.join("work")).iter().all(|file| file.ends_with(".lock")));
}

#[test]
fn a_copy_that_lost_a_file_is_fetched_again() {
    let (stub, release) = stub(&archive(None));
    let home = fetch(&release, &stub.site).expect("fetched");
    fs::remove_file(home.join("lib/a.jar")).expect("removed");
    assert!(sut::fetch::cached(&release, &stub.site).is_none());
    fetch(&release, &stub.site).expect("fetched again");
    assert!(home.join("lib/a.jar").is_file());
}

#[test]
fn a_wrong_checksum_is_refused_before_unpacking() {
    let (stub, _) = stub(&archive(None));
    let other = release(b"another file");
    let error = fetch(&other, &stub.site).expect_err("wrong");
    assert!(matches!(error, Error::Checksum { .. }), "{error}");
    assert!(
        error.to_string().starts_with("org.apache.tomcat:tomcat:10.1.29:tar.gz has the wrong SHA-512: "),
        "{error}"
    );
    assert!(error.hint().is_some_and(|hint| hint.contains("delete")));
    assert_not_poisoned(&stub);
}

#[test]
fn a_version_that_is_not_in_the_catalog_keeps_the_checksum_of_its_download() {
    let stub = Stub::new(&COPY.replace("10.1.29", "9.0.99"));
    let bytes = archive(None);
    fs::write(stub.file("archive"), &bytes).expect("written");
    let release = Catalog::embedded().lookup("tomcat:9.0.99").expect("it can be asked for");
    assert!(sut::fetch::cached(&release, &stub.site).is_none());
    let fresh = sut::fetch(&release, &stub.site, &GO_ON).expect("fetched").release;
    assert_eq!(fresh.origin(), format!("SHA-512 {}", sha512(&bytes)));
    let kept = sut::fetch::cached(&release, &stub.site).expect("kept").release;
    assert_eq!(kept, fresh);

    // A lock file that names another file: the copy in the cache does not count, and neither does the download.
    let mut locked = release.clone();
    let Source::Archive(known) = &mut locked.source else { panic!("an archive") };
    known.sha512 = Some(Checksum { hex: sha512(b"another file"), written: ChecksumSource::LockFile });
    assert!(sut::fetch::cached(&locked, &stub.site).is_none());
    let error = fetch(&locked, &stub.site).expect_err("another file");
    assert!(matches!(error, Error::Checksum { .. }), "{error}");
    assert!(error.hint().is_some_and(|hint| hint.contains("--update")), "{error}");
}

#[test]
fn half_a_download_is_a_wrong_checksum() {
    let whole = archive(None);
    let (stub, _) = stub(&whole[..whole.len() / 2]);
    let error = fetch(&release(&whole), &stub.site).expect_err("half");
    assert!(matches!(error, Error::Checksum { .. }), "{error}");
    assert_not_poisoned(&stub);
}

#[test]
fn a_truncated_archive_of_the_right_checksum_is_refused() {
    let whole = archive(None);
    let (stub, release) = stub(&whole[..whole.len() - 20]);
    let error = fetch(&release, &stub.site).expect_err("truncated");
    assert_eq!(error.to_string(), "the archive of tomcat:10.1.29 cannot be unpacked: it ends too early");
    assert_not_poisoned(&stub);
}

#[test]
fn an_entry_outside_the_folder_is_refused() {
    let (stub, release) = stub(&archive(Some(("t/../../../evil", b"x"))));
    let error = fetch(&release, &stub.site).expect_err("evil");
    assert!(error.to_string().contains("an entry leaves its folder"), "{error}");
    assert!(!stub.site.cache.join("evil").exists());
    assert_not_poisoned(&stub);
}

#[test]
fn a_missing_maven_is_named() {
    let (stub, release) = stub(&archive(None));
    let site = Site { maven: sut::Maven::at("/nowhere/mvn"), ..stub.site.clone() };
    let error = fetch(&release, &site).expect_err("no Maven");
    assert_eq!(error.to_string(), "Maven is missing: /nowhere/mvn cannot be found");
    assert!(error.hint().is_some_and(|hint| hint.contains("apt-get install maven")));
    assert_not_poisoned(&stub);
}

#[test]
fn without_network_mavens_message_is_shown() {
    let stub = Stub::new(
        "echo '[ERROR] Failed to execute goal x: Could not transfer artifact a:b from/to central: Unknown host repo'
         for n in 1 2 3 4 5 6 7 8 9; do echo \"[ERROR] [Help 1] http://help/$n\"; done; exit 1",
    );
    let error = fetch(&release(b""), &stub.site).expect_err("no network");
    let text = error.to_string();
    assert!(
        text.starts_with("Maven could not fetch org.apache.tomcat:tomcat:10.1.29:tar.gz: Failed to"),
        "{text}"
    );
    assert!(error.log().is_empty(), "advice is left out: {:?}", error.log());
    assert!(error.hint().is_some_and(|hint| hint.contains("needs the network")));
    stub.assert_nothing_kept();
}

#[test]
fn a_maven_that_leaves_nothing_has_failed() {
    let stub = Stub::new("exit 0");
    let error = fetch(&release(b""), &stub.site).expect_err("no file").to_string();
    assert!(error.ends_with("it reported success and left no file"), "{error}");
    stub.assert_nothing_kept();
}

#[test]
fn an_application_that_does_not_build_is_one_error() {
    let stub =
        Stub::new("echo '[ERROR] COMPILATION ERROR : No compiler is provided in this environment'; exit 1");
    let app = sut::App::find("hello").expect("known");
    let error =
        app.build(&sut::Packaging::war(sut::Namespace::Javax), &stub.site, &GO_ON).expect_err("no compiler");
    assert!(
        error.to_string().starts_with("Maven could not build the application hello (javax): "),
        "{error}"
    );
    assert!(error.hint().is_some_and(|hint| hint.contains("full JDK")));
    stub.assert_nothing_kept();
}

#[test]
fn two_at_a_time_fetch_once() {
    let archive = archive(None);
    let stub = Stub::new(&format!("sleep 0.3; {COPY}"));
    fs::write(stub.file("archive"), &archive).expect("written");
    let release = release(&archive);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| fetch(&release, &stub.site).expect("fetched"));
        }
    });
    assert_eq!(fs::read_to_string(stub.file("calls")).expect("called"), "call\n");
}

#[test]
fn an_interrupted_download_ends_its_maven() {
    // The file is there with its contents, or not at all.
    let stub = Stub::new("echo $$ > \"$HERE/new\"; mv \"$HERE/new\" \"$HERE/pid\"; exec sleep 600");
    let stop = AtomicBool::new(false);
    let began = Instant::now();
    thread::scope(|scope| {
        scope.spawn(|| {
            eventually("a call of Maven", || stub.file("pid").exists());
            stop.store(true, Ordering::Relaxed);
        });
        let result = sut::fetch(&release(b""), &stub.site, &stop);
        assert!(matches!(result, Err(Error::Interrupted)));
    });
    assert!(began.elapsed() < Duration::from_secs(20));
    let pid = fs::read_to_string(stub.file("pid")).expect("written").trim().parse().expect("a number");
    eventually("the end of Maven", || !lives(pid));
    stub.assert_nothing_kept();
}

/// A file system of one megabyte; unmounted when dropped.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(path: &Path) -> Option<Self> {
        fs::create_dir_all(path).expect("made");
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", "size=1m", "prony-test"]).arg(path).output();
        mounted.is_ok_and(|output| output.status.success()).then(|| Self(path.to_owned()))
    }

    fn enlarge(&self) {
        let done = Command::new("mount").args(["-o", "remount,size=32m"]).arg(&self.0).status();
        assert!(done.expect("mount runs").success());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_is_one_error_wherever_it_strikes() {
    // It compresses to some kilobytes: the download fits on the disk, the tree does not.
    let large = archive(Some(("t/lib/large.jar", &[0; 3 << 20])));
    let (stub, release) = stub(&large);
    let Some(disk) = SmallDisk::mount(&stub.site.cache) else {
        eprintln!("skipped: mounting a small file system takes root");
        return;
    };
    let error = fetch(&release, &stub.site).expect_err("full while unpacking");
    assert!(matches!(error, Error::DiskFull { .. }), "{error}");
    assert!(error.hint().is_some_and(|hint| hint.contains("PRONY_HOME")));
    stub.assert_nothing_kept();

    let noisy = Stub::new("dd if=/dev/zero of=\"$OUT/x.tar.gz\" bs=64k count=64 && exit 0; exit 1");
    let site = Site { maven: noisy.site.maven.clone(), ..stub.site.clone() };
    let error = fetch(&release, &site).expect_err("full while downloading");
    assert!(matches!(error, Error::DiskFull { .. }), "{error}");
    stub.assert_nothing_kept();

    disk.enlarge();
    fetch(&release, &stub.site).expect("room enough now");
}
