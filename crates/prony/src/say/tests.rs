//! Every error says the same in both languages: other words, the same data, a hint in both or in neither.

mod builds;
mod commands;
mod complaints;
mod config;
mod containers;
mod hosts;
mod libraries;
mod lines;
mod nightly;
mod slips;
mod words;

use super::complaint::{
    ArmsComplaint, CalibrationComplaint, Complaint, Difference, FileComplaint, ForeignComplaint, Given, Gone,
    Instead, LoadComplaint, LockAct, OutAct, StoredComplaint,
};
use super::{StatusLine, said, with_causes};
use crate::failure::{Code, Failure};
use ::say::SayError;
use model::origin::Origin;
use model::patience::Patience;
use model::question::Question;
use model::slip::JavaNeed;
use model::units::{Bytes, Nanos};
use report::Lang;
use std::collections::BTreeSet;
use std::io;
use std::path::Path;

mod doctor;

/// Data: a `Q` and digits, which both languages have to show.
fn text(number: usize) -> String {
    format!("Q{number}")
}

fn texts() -> Vec<String> {
    vec![text(1), text(2)]
}

fn io_error() -> io::Error {
    io::Error::other("Q9")
}

/// The data in a text: what begins with a capital Q, and numbers.
fn data(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words
        .filter(|word| {
            word.starts_with('Q') || word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_digit())
        })
        .collect()
}

/// English words that no Chinese text has, unless it quotes somebody.
const ENGLISH: [&str; 14] =
    ["the", "and", "is", "of", "to", "not", "cannot", "it", "was", "with", "that", "has", "no", "its"];

/// What is quoted: words of Maven, and the name of a file of the kernel.
const QUOTED: [&str; 2] = ["Could not find artifact", "no_turbo"];

/// One text is English, the other Chinese, and both have the same data.
fn check_texts(english: &str, chinese: &str) {
    let ideographs = |text: &str| text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    assert!(ideographs(chinese) && !ideographs(english), "{english}: {chinese}");
    assert_eq!(data(english), data(chinese), "{english}: {chinese}");
    let own = QUOTED.iter().fold(chinese.to_owned(), |text, quoted| text.replace(quoted, ""));
    let words: Vec<&str> = own.split(|c: char| !c.is_ascii_alphabetic()).collect();
    let left: Vec<_> = ENGLISH.iter().filter(|word| words.contains(*word)).collect();
    assert!(left.is_empty(), "{left:?} in {chinese}");
}

/// Adds a text in both languages to the golden of the running test, and checks it.
fn check_lines(english: &str, chinese: &str) {
    words::add_text(english);
    words::add_text(chinese);
    check_texts(english, chinese);
}

fn check(error: impl SayError) {
    words::record(&error);
    let [english, chinese] = [Lang::En, Lang::Zh].map(|lang| with_causes(&error, lang));
    let [hint, chinese_hint] = [&english, &chinese].map(|said| said.hint.clone());
    assert_eq!(hint.is_some(), chinese_hint.is_some(), "{english:?}: {chinese:?}");
    let hints = hint.zip(chinese_hint).unwrap_or_default();
    let ideographs = |text: &str| !text.is_ascii();
    assert!(ideographs(&chinese.message), "{english:?}: {chinese:?}");
    assert!(hints.1.is_empty() || ideographs(&hints.1), "{chinese:?}");
    check_texts(&format!("{} {}", english.message, hints.0), &format!("{} {}", chinese.message, hints.1));
}

/// What goes wrong before a server is started.
#[rustfmt::skip]
fn sut_before() -> Vec<sut::Error> {
    use sut::Error::*;
    use sut::{ChecksumSource, Downloader, MavenTask};
    let checksum = |written, copy| Checksum { what: text(1), expected: text(2), written, found: text(3), copy };
    let mut all = vec![
        NoVersion { asked: text(1), nearest: vec![] }, NoVersion { asked: text(1), nearest: texts() },
        checksum(ChecksumSource::LockFile, None), checksum(ChecksumSource::Catalog, None),
        checksum(ChecksumSource::Catalog, Some(text(4).into())),
        Unknown { asked: text(1), nearest: None },
        Unknown { asked: text(1), nearest: Some(text(2)) },
        UnknownApp { asked: text(3), known: texts() },
        NoMaven { program: text(1) },
        NoNativeImage,
        NothingDownloaded { downloader: Downloader::Maven, what: text(1) },
        NothingDownloaded { downloader: Downloader::Pip, what: text(1) },
        DiskFull { path: text(1).into() },
        NoJdk { release: text(3), or_newer: false, installed: texts(), fetched: vec![21] },
        NoJdk { release: text(3), or_newer: true, installed: Vec::new(), fetched: vec![21] },
        NotAJdk { home: text(1).into() },
        OldJdk { jdk: text(1), why: JavaNeed::VirtualThreads, least: 17 },
        JvmOption { jdk: text(1), option: Some(text(2)), line: Some(text(3)) },
        JvmOption { jdk: text(1), option: None, line: None },
        NoPip,
        Pip { what: text(3), lines: vec![text(1)] },
        Wheel { what: text(1), expected: text(2), found: text(3) },
        NotAWar { war: text(1).into(), problem: text(2) },
        EitherNamespace { war: text(1).into() },
        NotMigrated { war: text(1).into(), lines: vec![text(2)] },
        NotCompiled { jar: text(1).into(), lines: vec![text(2)] },
        Compiler { what: text(1), lines: vec![text(2)] },
    ];
    let maven = [
        "offline mode Q1",
        "timed out Q1",
        "Could not find artifact Q1",
        "JAVA_HOME Q1",
        "Q1",
    ];
    let task = || MavenTask::Fetch(text(2));
    all.extend(maven.map(|line| Maven { task: task(), lines: vec![line.to_owned()] }));
    let tasks = [
        MavenTask::FetchJars { count: 12, release: text(2) },
        MavenTask::Build { application: text(2), packaging: text(3) },
        MavenTask::ListVersions(text(2)), MavenTask::ShowVersion,
    ];
    all.extend(tasks.map(|task| Maven { task, lines: vec![text(1)] }));
    all.extend(sut_flaws());
    all
}

/// Files that cannot be used, for each of the reasons.
#[rustfmt::skip]
fn sut_flaws() -> Vec<sut::Error> {
    use sut::Error::*;
    use sut::{ArchiveFlaw, JarFlaw};
    let flaws = [
        ArchiveFlaw::Cut, ArchiveFlaw::LeavesFolder(text(2)), ArchiveFlaw::NoFile(text(2)),
        ArchiveFlaw::NoJava, ArchiveFlaw::NoClass(text(2)), ArchiveFlaw::Unreadable(text(2)),
    ];
    let mut all = Vec::from(flaws.map(|problem| Archive { what: text(1), problem }));
    let flaws = [JarFlaw::NoMainClass, JarFlaw::Unreadable(text(2))];
    all.extend(flaws.map(|problem| NotAJar { jar: text(1).into(), problem }));
    all
}

/// What goes wrong with a server that is started or runs.
#[rustfmt::skip]
fn sut_running() -> Vec<sut::Error> {
    use sut::Error::*;
    use sut::{LastSeen, PortHolder, Remnant, Startable, UnreadableReason};
    let origin = || Origin { address: ([127, 0, 0, 1], 8080).into(), tls: false };
    let log = Vec::new;
    let server = || Startable::Server(text(1));
    let seen = || LastSeen::Answer { status: 404, length: 12, start: text(3) };
    let refusal = || vec!["Unrecognized VM option Q7".to_owned()];
    let mut all = vec![
        NobodyThere { origin: origin() },
        NotAsAsked { origin: origin(), path: text(1), answer: LastSeen::Late(10) },
        PortTaken { port: 8080, holder: Some(PortHolder { name: text(1), pid: 4242 }) },
        PortTaken { port: 8080, holder: None },
        OnlyLoopback { server: text(1), address: ([10, 0, 0, 2], 8080).into() },
        NoPort,
        Exited { server: server(), status: text(2), log: log() },
        Exited { server: Startable::Service(text(1)), status: text(2), log: refusal() },
        Refused { server: text(1), line: text(2), log: log() },
        Refused { server: text(1), line: "matching property Q2".to_owned(), log: log() },
        OtherHandler { server: text(1), asked: text(2), actual: Some(text(3)) },
        OtherHandler { server: text(1), asked: text(2), actual: None },
        NoTcnative { server: text(1), needed: texts(), missing: vec![] },
        NoTcnative { server: text(1), needed: texts(), missing: vec!["Q3"] },
        WrongAnswer { server: text(1), path: text(2), answer: seen(), log: log() },
        Overrun { server: text(1), limit: Bytes(1 << 30), log: log() },
        NoProgram { what: Startable::Service(text(1)), program: text(2), package: Some(text(3)) },
        NoProgram { what: Startable::Command, program: text(2), package: None },
        NoProgram { what: Startable::Link, program: text(2), package: None },
        Leftover { server: text(1), what: Remnant::Processes(vec![12, 345]) },
        Leftover { server: text(1), what: Remnant::Listener(8080) },
        Unreadable { server: text(1), problem: UnreadableReason::Output(text(2)) },
        Unreadable { server: text(1), problem: UnreadableReason::NoAnswer },
        Interrupted,
    ];
    all.extend(sut_reasons());
    all
}

/// Errors with each of their reasons.
#[rustfmt::skip]
fn sut_reasons() -> Vec<sut::Error> {
    use sut::Error::*;
    use sut::FileAct::*;
    use sut::{LastSeen, NoLimitsReason, NoNetworkReason, Resource, Startable};
    let server = || Startable::Server(text(1));
    let last = [
        LastSeen::Closed, LastSeen::Silent, LastSeen::Ended(text(2)), LastSeen::NoAnswer,
        LastSeen::Unreachable(text(2)),
        LastSeen::Asked(([127, 0, 0, 1], 8080).into()),
    ];
    let mut all = Vec::from(last.map(|last| NotReady { server: server(), seconds: 90, last, log: Vec::new() }));
    let reasons = [
        NoLimitsReason::NoController("Q1"),
        NoLimitsReason::Indivisible(text(1).into()),
        NoLimitsReason::Refused { folder: text(1).into(), error: text(2) },
        NoLimitsReason::NoEffect { by: text(1), resource: Resource::Memory },
        NoLimitsReason::NoEffect { by: text(1), resource: Resource::Cpu },
    ];
    all.extend(reasons.map(|why| NoLimits { why }));
    all.extend(containers::sut_containers().map(Container));
    let reasons = [
        NoNetworkReason::NotRoot, NoNetworkReason::Ended(text(1)), NoNetworkReason::NoNamespace,
        NoNetworkReason::NoEntry(text(1)),
        NoNetworkReason::Command { command: text(1), output: text(2) },
    ];
    all.extend(reasons.map(|why| NoNetwork { why }));
    let acts = [
        Await, Copy, Find, Keep, Link, Lock, Make, MakeCertificate, MoveTo, Open, Read, Remove, Start, Trust, Write,
    ];
    all.extend(acts.map(|act| Io { act, path: text(1).into(), source: io_error() }));
    all
}

#[test]
fn errors_of_servers_say_the_same_in_both_languages() {
    for error in sut_before().into_iter().chain(sut_running()) {
        check(error);
    }
    words::assert_golden("errors_of_servers");
}

#[test]
fn errors_of_experiments_say_the_same_in_both_languages() {
    use lab::{Error, JvmFact};
    for error in sut_running() {
        check(Error::Arm { arm: text(8), source: Box::new(error) });
    }
    check(Error::Sut(Box::new(sut::Error::NoPip)));
    check(Error::Died { arm: text(1), log: texts() });
    check(Error::Load(load::Error::BadWeights));
    check(Error::Probe(probe::Error::Thread { source: io_error() }));
    check(Error::Edges);
    check(Error::Strange("{]".to_owned()));
    check(Error::Memory { arms: 12, heaps: Bytes(20 << 30), memory: Bytes(10 << 30) });
    for same in [true, false] {
        check(Error::Arms { one: text(1), other: text(2), same });
    }
    for fact in [JvmFact::Collector, JvmFact::Heap, JvmFact::Jdk] {
        let (one, one_value, other, other_value) = (text(1), text(2), text(3), text(4));
        check(Error::UnnamedDifference { fact, one, one_value, other, other_value });
    }
    check(Error::Interrupted);
    words::assert_golden("errors_of_experiments");
}

#[test]
fn errors_of_the_load_say_the_same_in_both_languages() {
    use load::{Act, Error, PlanPart};
    for part in [PlanPart::Shards, PlanPart::Requests, PlanPart::Connections, PlanPart::Rate] {
        check(Error::EmptyPlan(part));
    }
    check(Error::BadWeights);
    check(Error::BadPipeline);
    check(Error::SessionsShare);
    check(Error::TooFewRows { file: "users.csv".to_owned(), rows: 2, users: 3 });
    check(Error::BadRate(12.0));
    check(Error::Descriptors { connections: 5000, limit: 1024 });
    for act in [Act::RaiseDescriptors, Act::CreateEpoll, Act::WaitForEvents] {
        check(Error::System { act, source: io_error() });
    }
    check(Error::Resolve { host: text(1), source: io_error() });
    check(Error::BadTls(load::TlsFlaw::ServerName(text(1))));
    check(Error::BadTls(load::TlsFlaw::NotACaFile(text(1))));
    check(Error::BadRequest(text(1)));
    words::assert_golden("errors_of_the_load");
}

#[test]
fn errors_of_telemetry_say_the_same_in_both_languages() {
    use probe::{Error, PerfDataFlaw as Flaw};
    check(Error::Thread { source: io_error() });
    check(Error::Proc { path: text(1), source: io_error() });
    for flaw in [Flaw::Short, Flaw::OtherFormat, Flaw::OtherVersion, Flaw::Cut, Flaw::NoFrequency] {
        check(Error::PerfData { path: text(1), flaw });
    }
    words::assert_golden("errors_of_telemetry");
}

#[test]
fn errors_of_the_history_say_the_same_in_both_languages() {
    use store::Error;
    let codes = [
        rusqlite::ffi::SQLITE_BUSY,
        rusqlite::ffi::SQLITE_FULL,
        rusqlite::ffi::SQLITE_IOERR,
        rusqlite::ffi::SQLITE_CORRUPT,
        rusqlite::ffi::SQLITE_READONLY,
        rusqlite::ffi::SQLITE_MISUSE,
    ];
    for code in codes {
        let error = Error::Sql {
            act: store::StoreAct::StoreSlice,
            path: text(1).into(),
            source: rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), Some(text(2))),
        };
        // Below it is what SQLite says of the code, in English.
        let [english, chinese] = [Lang::En, Lang::Zh].map(|lang| said(&error, lang));
        assert!(chinese.message.starts_with("保存切片失败（Q1）：Q2"), "{chinese:?}");
        assert_eq!(english.hint.is_some(), chinese.hint.is_some(), "{english:?}");
        let [english, chinese] = [english, chinese].map(|said| said.hint.unwrap_or_default());
        assert_eq!(data(&english), data(&chinese), "{english}: {chinese}");
        assert!(english.is_empty() || english != chinese);
    }
    let json = || serde_json::from_str::<u8>("[").expect_err("no number");
    check(Error::Folder { path: text(1).into(), source: io_error() });
    check(Error::Newer { path: text(1).into(), stored: 12, known: 11 });
    check(Error::Ambiguous { prefix: text(3), runs: texts() });
    let message =
        |lang| with_causes(&Error::Json { path: text(1).into(), run: text(2), source: json() }, lang).message;
    assert!(message(Lang::Zh).contains("无法读取 Q1 中的运行 Q2"), "{}", message(Lang::Zh));
    words::assert_golden("errors_of_the_history");
}

#[test]
#[rustfmt::skip]
fn complaints_of_stored_runs_and_arms_say_the_same_in_both_languages() {
    use ArmsComplaint as Arms;
    use StoredComplaint as Stored;
    let (run, arm, arms) = (|| text(3), || text(4), texts);
    let difference = || Difference { fact: text(5), was: Some(text(6)), is: Some(text(7)) };
    let gone = [
        Gone::File(text(1).into()),
        Gone::Release { server: text(1), version: text(2) },
        Gone::Changed(vec![difference(), difference()]),
    ];
    let mut complaints: Vec<Complaint> = vec![
        Stored::Unknown { run: run() }.into(),
        Stored::WithoutDesign { run: run() }.into(),
        Stored::OtherConditions { run: run(), differences: vec![difference()] }.into(),
        Stored::WithoutSecrets { run: run() }.into(),
        Stored::NoEnvironment { run: run(), variable: text(1) }.into(),
        Stored::FromNoFile { run: run(), origin: text(1) }.into(),
        Stored::SingleLoad { run: run() }.into(),
        Stored::NoneOf { experiment: text(1) }.into(),
        Stored::NoArm { run: run(), arm: arm(), arms: arms() }.into(),
        Stored::SeveralArms { run: run(), arms: arms() }.into(),
        Stored::OtherService { service: text(1), run: run() }.into(),
        Arms::OneAlone.into(),
        Arms::SeveralServers.into(),
        Arms::UnusedHost { name: text(2) }.into(),
        Arms::SameName { name: text(1) }.into(),
        Arms::UnknownApp { app: text(3), known: texts() }.into(),
        Arms::NeedsServlets { app: text(4), server: text(3), routed: texts() }.into(),
        Arms::OtherPath { app: text(4), path: text(3), paths: texts() }.into(),
        Arms::Unknown { name: text(3), nearest: None, arms: texts() }.into(),
        Arms::Unknown { name: text(3), nearest: Some(text(4)), arms: texts() }.into(),
        Arms::OnlyBaseline { baseline: text(1) }.into(),
    ];
    complaints.extend(gone.map(|why| {
        let measured = Some(text(8));
        Stored::CannotRepeat { arm: arm(), run: run(), why, measured }
        .into()
    }));
    complaints.into_iter().for_each(check);
    words::assert_golden("complaints_of_stored_runs_and_arms");
}

#[test]
#[rustfmt::skip]
fn complaints_of_files_and_loads_say_the_same_in_both_languages() {
    use CalibrationComplaint as Calibration;
    use ForeignComplaint as Foreign;
    let path = || text(1).into();
    for given in [
        Given::Experiment,
        Given::Mix,
        Given::Scenario,
        Given::Jmx,
        Given::Body,
        Given::Other,
    ] {
        check(Complaint::from(FileComplaint::Unreadable { given, path: path(), source: io_error() }));
    }
    for act in [LockAct::Read(io_error()), LockAct::Parse(text(2)), LockAct::Write(io_error())] {
        check(Complaint::from(FileComplaint::Lock { act, path: path() }));
    }
    for act in [OutAct::MakeFolder, OutAct::Remove, OutAct::Write, OutAct::Read] {
        check(Complaint::from(FileComplaint::Out { act, path: path(), source: io_error() }));
    }
    let instead = [
        Instead::Scripts, Instead::System, Instead::Html, Instead::Proxy, Instead::Tls, Instead::Requests, Instead::Threads,
    ];
    for instead in instead {
        check(Complaint::from(Foreign::Flag { flag: "Q", instead }));
    }
    let faults = [("reset".to_owned(), 12)].into();
    let complaints: [Complaint; 18] = [
        FileComplaint::OutFolder { path: path(), source: io_error() }
        .into(),
        FileComplaint::Percentiles { path: path(), source: io_error() }
        .into(),
        LoadComplaint::NoTime.into(),
        LoadComplaint::NotAHeader { text: text(1) }.into(),
        LoadComplaint::NoRightAnswer { faults }.into(),
        LoadComplaint::NoRightAnswer { faults: [].into() }.into(),
        Foreign::Verbosity.into(),
        Foreign::Concurrency.into(),
        Foreign::Threads.into(),
        Foreign::NoTime.into(),
        Foreign::Unreachable { host: text(1), port: 8080, reason: text(2) }
        .into(),
        Foreign::Reset.into(),
        Foreign::NoConnection { host: text(1), port: 8080, fault: load::Fault::ConnectRefused }
        .into(),
        Calibration::VirtualThreads.into(),
        Calibration::ShortTrial.into(),
        Calibration::NoEffect.into(),
        Complaint::NoHome,
        Complaint::NoPatience { variable: "Q", text: text(1), wrong: "0".parse::<Patience>().expect_err("too small") },
    ];
    complaints.into_iter().for_each(check);
    check(Complaint::TwoMargins);
    check(Complaint::CannotListen { address: ([127, 0, 0, 1], 80).into(), source: io_error() });
    words::assert_golden("complaints_of_files_and_loads");
}

#[test]
fn an_error_is_shown_with_its_cause_its_log_and_what_to_do() {
    let died = || lab::Error::Arm {
        arm: text(1),
        source: Box::new(sut::Error::Refused { server: text(2), line: text(3), log: texts() }),
    };
    let failure = Failure::new(Code::Start, died()).details(texts());
    assert_eq!(
        failure.text(Lang::En),
        "error: arm `Q1`: Q2 did not start as configured: Q3\n  | Q1\n  | Q2\nhint: the end of its log says why\n"
    );
    assert_eq!(
        failure.text(Lang::Zh),
        "错误：对象 `Q1`：Q2 未按配置启动：Q3\n  | Q1\n  | Q2\n提示：原因见其日志末尾\n"
    );
    let path = text(1).into();
    let refused = FileComplaint::Out { act: OutAct::Write, path, source: io_error() };
    let failure = Failure::usage(refused);
    assert_eq!(failure.text(Lang::En), "error: cannot write Q1\n  caused by: Q9\n");
    assert_eq!(failure.text(Lang::Zh), "错误：无法写入 Q1\n  原因：Q9\n");
    assert_eq!(Failure::reported(Code::Invalid).text(Lang::En), "");
}

#[test]
fn lines_say_the_same_in_both_languages() {
    let question = Question::both("Q6".to_owned(), "问 Q6".to_owned());
    let error = store::Error::Ambiguous { prefix: text(3), runs: texts() };
    let lines = [
        StatusLine::RunsServed { url: "Q1" },
        StatusLine::PageServed { url: "Q1" },
        StatusLine::NothingAdded,
        StatusLine::NotStored { out: None },
        StatusLine::NotStored { out: Some(Path::new("Q1")) },
        StatusLine::WillNotBeStored { error: &error },
        StatusLine::Proving { cause: "Q1", arm: "Q2", question: &question },
        StatusLine::NotTried,
        StatusLine::NoRuns { experiment: None },
        StatusLine::NoRuns { experiment: Some("Q1") },
        StatusLine::Unfinished { run: "Q1", starts: 12 },
        StatusLine::ManyLines { lines: 12_000_000 },
        StatusLine::CalibrationRun { number: 11, runs: 12 },
        StatusLine::CalibrationTrial { share: 0.125 },
        StatusLine::Settling { time: Nanos::from_secs(30) },
        StatusLine::Loading { rate: 1234.0, faults: 56, left: Some(Nanos::from_secs(30)) },
    ];
    for line in lines {
        check_texts(&line.text(Lang::En), &line.text(Lang::Zh));
    }
}
