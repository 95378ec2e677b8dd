//! Errors of servers, experiments, the load, telemetry and the history, in all their kinds.

use super::{BOTH, check, data, io_error, text, texts};
use super::{assert_golden, containers};
use crate::message::Message;
use ask::origin::Origin;
use ask::slip::JavaNeed;
use model::units::Bytes;
use say::Language;
use traffic::scenario::{FirstFailure, StepFailure};

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
    let origin = || Origin { host: "127.0.0.1".to_owned(), port: 8080, tls: false };
    let log = Vec::new;
    let server = || Startable::Server(text(1));
    let seen = || LastSeen::Answer { status: 404, length: 12, start: text(3) };
    let refusal = || vec!["Unrecognized VM option Q7".to_owned()];
    let mut all = vec![
        NobodyThere { origin: origin() },
        NoProcess { pid: 4242 },
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
        LastSeen::Command { command: text(1).into(), outcome: text(2).into() },
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
    all.extend(containers::sut_configurations().map(Configuration));
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
    assert_golden("errors_of_servers");
}

#[test]
fn errors_of_experiments_say_the_same_in_both_languages() {
    use ask::slip::NetworkSlip;
    use lab::{Error, JvmFact, WayError};
    for error in sut_running() {
        check(Error::Arm { arm: text(8), source: Box::new(error) });
    }
    check(Error::Sut(Box::new(sut::Error::NoPip)));
    check(Error::Died { arm: text(1), log: texts() });
    let (faults, log) = ([("wrong_status".to_owned(), 9)].into(), texts());
    let first = FirstFailure { why: StepFailure::Status(404), request: text(2), answer: text(3) };
    check(Error::NoRightAnswer { arm: text(1), faults, first: Some(Box::new(first)), log });
    for error in [
        WayError::Network(NetworkSlip::KeyAlone),
        WayError::Load(load::Error::BadWeights),
        WayError::Unreadable { path: text(2).into(), source: io_error() },
        WayError::NoKey { path: text(2).into() },
        WayError::OtherFamily { target: ([127, 0, 0, 1], 80).into() },
    ] {
        check(Error::Way { arm: text(1), source: Box::new(error) });
    }
    for why in [lab::MetricsFlaw::Unreachable(text(3)), lab::MetricsFlaw::NoFigures] {
        check(Error::Metrics { arm: text(1), url: text(2), why });
    }
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
    assert_golden("errors_of_experiments");
}

#[test]
fn errors_of_the_load_say_the_same_in_both_languages() {
    use load::{Act, Error, PlanPart};
    for part in [PlanPart::Shards, PlanPart::Requests, PlanPart::Connections, PlanPart::Rate] {
        check(Error::EmptyPlan(part));
    }
    check(Error::BadWeights);
    check(Error::BadPipeline);
    check(Error::GrpcWithoutHttp2);
    check(Error::WebSocketOverHttp2);
    check(Error::MixedMessages);
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
    check(Error::BadTls(load::TlsFlaw::NotAStore));
    check(Error::BadRequest(text(1)));
    assert_golden("errors_of_the_load");
}

#[test]
fn errors_of_telemetry_say_the_same_in_both_languages() {
    use probe::{Error, PerfDataFlaw as Flaw};
    check(Error::Thread { source: io_error() });
    check(Error::Proc { path: text(1), source: io_error() });
    for flaw in [Flaw::Short, Flaw::OtherFormat, Flaw::OtherVersion, Flaw::Cut, Flaw::NoFrequency] {
        check(Error::PerfData { path: text(1), flaw });
    }
    assert_golden("errors_of_telemetry");
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
        let [english, chinese] = BOTH.map(|lang| Message::of(&error, lang));
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
    let message = |lang| {
        Message::with_causes(&Error::Json { path: text(1).into(), run: text(2), source: json() }, lang)
            .message
    };
    assert!(message(Language::Zh).contains("无法读取 Q1 中的运行 Q2"), "{}", message(Language::Zh));
    assert_golden("errors_of_the_history");
}
