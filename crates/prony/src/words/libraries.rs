//! Errors of the library crates, and what an import and a fleet tell, in all their kinds.

use super::{BOTH, add, assert_golden, io_error, text, texts};
use crate::cmd::import::{Head, jmx::left_out, obstacle_lines};
use crate::cmd::load::fleet::fleet_event;
use crate::message::Message;
use model::url::{BadUrl, UrlFlaw};
use say::{Language, SayError};

/// Adds what errors say in both languages to the golden of the running test, without their causes.
fn add_all<E: SayError>(errors: impl IntoIterator<Item = E>) {
    for error in errors {
        add_messages(|lang| Message::of(&error, lang));
    }
}

fn add_messages(say: impl Fn(Language) -> Message) {
    BOTH.iter().for_each(|lang| add(&say(*lang)));
}

#[test]
#[rustfmt::skip]
fn every_error_of_a_fleet_keeps_its_words() {
    use fleet::Error::*;
    use fleet::{Missing, Refusal};
    let refused = |refusal| Refused { agent: text(1), refusal };
    let path = || text(1).into();
    add_all([Missing::Users, Missing::Connections, Missing::Requests]
        .map(|what| TooSmall { what, whole: 2, agents: 3 }));
    add_all([
        InStages,
        NotAuthorized { server: text(1) },
        NotPermitted { said: text(1) },
        NoServer { server: text(1), said: text(2) },
        TooFewAgents { found: 1, wanted: 2, seconds: 30 },
        OtherVersion { theirs: 4, ours: 5 },
        NoAnswer { agent: text(1) },
        refused(Refusal::Target(text(2))), refused(Refusal::TooLate), refused(Refusal::Busy),
        refused(Refusal::Plan(text(2))),
        PlanTooLarge { bytes: 70, limit: 60 },
        BadId { id: text(1) },
        File { path: path(), source: io_error() },
        CredsOpen { path: path(), mode: 0o644 },
        BadCreds { path: path() },
        NothingToResume { run: text(1) },
        OtherLoad { run: text(1) },
        NoNatsServer,
        NotStarted { program: text(1), said: text(2) },
        OnlyLoopback { agent: text(1), target: text(2) },
        NoCommonAddress { seen: text(1) },
        System(io_error()),
    ]);
    assert_golden("fleet");
}

#[test]
#[rustfmt::skip]
fn every_line_of_a_fleet_keeps_its_words() {
    use fleet::{AgentEvent, CrewEvent, FleetEvent, Refusal, Refused};
    let line = |message: String| Message { message, hint: None };
    let stranger = [Refused::Oversize, Refused::Garbage, Refused::Version(3), Refused::Run, Refused::Replayed];
    let mut events = vec![
        AgentEvent::Waits, AgentEvent::Share { index: 0, of: 3 }, AgentEvent::Joined,
        AgentEvent::Refused(Refusal::TooLate), AgentEvent::Refused(Refusal::Busy),
        AgentEvent::Refused(Refusal::Target(text(1))), AgentEvent::Refused(Refusal::Plan(text(1))),
        AgentEvent::Finished, AgentEvent::Resends, AgentEvent::CoordinatorLost,
    ];
    events.extend(stranger.map(AgentEvent::Stranger));
    for event in events {
        add_messages(|lang| line(say::text(&event, lang)));
    }
    for event in [
        CrewEvent::Gathered { found: 1, wanted: 2 }, CrewEvent::Silent(text(1)), CrewEvent::Back(text(1)),
        CrewEvent::Lost(text(1)), CrewEvent::Replaced { lost: text(1), by: text(2) }, CrewEvent::ServerLost,
    ] {
        add_messages(|lang| line(say::text(&event, lang)));
    }
    let at = std::time::SystemTime::UNIX_EPOCH;
    for (event, resumes) in [
        (FleetEvent::Starts { at }, None), (FleetEvent::Starts { at }, Some("Q1")),
        (FleetEvent::Silent("Q1"), None),
    ] {
        add_messages(|lang| line(fleet_event(&event, resumes, lang).unwrap_or_default()));
    }
    assert_golden("lines_of_a_fleet");
}

#[test]
#[rustfmt::skip]
fn every_error_of_the_load_keeps_its_words() {
    use load::Error::*;
    use load::TlsFlaw;
    let flaws = [
        UrlFlaw::OtherScheme, UrlFlaw::Space, UrlFlaw::Credentials, UrlFlaw::OpenBracket, UrlFlaw::NotIpv6,
        UrlFlaw::AfterBracket, UrlFlaw::BareIpv6, UrlFlaw::NoHost, UrlFlaw::PortRange, UrlFlaw::NotAPort,
    ];
    add_all(flaws.map(|reason| BadUrl(self::BadUrl { url: text(1), reason })));
    add_all([
        BadTls(TlsFlaw::ServerName(text(1))), BadTls(TlsFlaw::NoHandshake), BadTls(TlsFlaw::Library(text(1))),
        BadTls(TlsFlaw::NotACaFile(text(1))), BadTls(TlsFlaw::NoCaCertificate),
        BadRate(1e9), BadRate(0.5), TooFewRows { file: text(1), rows: 1, users: 2 },
        Elsewhere(Box::new(fleet::Error::NoAnswer { agent: text(1) })),
        Elsewhere(Box::new(fleet::Error::NoNatsServer)),
    ]);
    assert_golden("load");
}

/// What cannot run of a JMeter plan.
#[rustfmt::skip]
fn obstacles() -> Vec<jmeter::Obstacle> {
    use jmeter::ObstacleKind::*;
    let kinds = vec![
        Element, Plugin, Function(text(1)), Arguments(text(1)), Unclosed(text(1)),
        Script { language: text(1), what: text(2) },
        NoFixedServer { property: text(1), text: text(2) },
        NotFixed { property: text(1), text: text(2) }, NeverSet(text(1)),
        Misspelt { name: text(1), known: "__Random" }, IllegalInUrl('"'),
        NoNumber { property: text(1), text: text(2) }, File { path: text(1), why: text(2) }, Data { path: text(1) }, Regex { pattern: text(1), why: text(2) },
        JsonPath(text(1)), XPath(text(1)), Css(text(1)), TooManyServers(text(1)), NoServer, NoModule(text(1)), NothingToDo,
    ];
    let settings = SETTINGS.into_iter().map(Setting);
    let with_place = |(line, what)| jmeter::Obstacle {
        file: (line == 2).then(|| text(4)), line, class: text(5), name: text(6), what,
    };
    (1..).zip(kinds.into_iter().chain(settings)).map(with_place).collect()
}

/// All settings of a plan that cannot be followed.
const SETTINGS: [jmeter::Unsupported; 26] = [
    jmeter::Unsupported::SourceAddress,
    jmeter::Unsupported::Proxy,
    jmeter::Unsupported::Authentication,
    jmeter::Unsupported::Kerberos,
    jmeter::Unsupported::Names,
    jmeter::Unsupported::Protocol,
    jmeter::Unsupported::Encoding,
    jmeter::Unsupported::SubSamples,
    jmeter::Unsupported::OtherSize,
    jmeter::Unsupported::Document,
    jmeter::Unsupported::PartialCookies,
    jmeter::Unsupported::SeveralCookieManagers,
    jmeter::Unsupported::InterleavedControllers,
    jmeter::Unsupported::NoDuration,
    jmeter::Unsupported::SessionsBesideUsers,
    jmeter::Unsupported::Schedule,
    jmeter::Unsupported::NumberFormat,
    jmeter::Unsupported::Delimiter,
    jmeter::Unsupported::Jodd,
    jmeter::Unsupported::Namespaces,
    jmeter::Unsupported::Validation,
    jmeter::Unsupported::RewrittenForm,
    jmeter::Unsupported::Links,
    jmeter::Unsupported::MatchNumber,
    jmeter::Unsupported::TimerMode,
    jmeter::Unsupported::Batches,
];

#[test]
fn every_error_of_a_plan_keeps_its_words() {
    use jmeter::Error::*;
    let refused = |obstacles| Refused { file: text(3), obstacles };
    add_all([
        Xml { line: 1, column: 2, what: text(1) },
        NoXml { begin: text(1) },
        NoPlan { root: text(1) },
        TooDeep { line: 3 },
        refused(obstacles().drain(..1).collect()),
        refused(obstacles()),
    ]);
    for obstacle in obstacles() {
        add_messages(|lang| Message { message: left_out(&obstacle, lang), hint: None });
    }
    assert_golden("jmeter");
}

/// Everything that the store does when SQLite refuses.
const ACTS: [store::StoreAct; 28] = [
    store::StoreAct::OpenHistory,
    store::StoreAct::MakeHistory,
    store::StoreAct::SetPatience,
    store::StoreAct::SwitchToWal,
    store::StoreAct::SetSync,
    store::StoreAct::ReadVersion,
    store::StoreAct::StoreRunAgain,
    store::StoreAct::RemoveRuns,
    store::StoreAct::StoreRun,
    store::StoreAct::StoreLoad,
    store::StoreAct::StoreSlice,
    store::StoreAct::StoreRound,
    store::StoreAct::StoreInspection,
    store::StoreAct::RemovePart,
    store::StoreAct::GoOn,
    store::StoreAct::StoreReport,
    store::StoreAct::ListRuns,
    store::StoreAct::FindRun,
    store::StoreAct::ReadSlices,
    store::StoreAct::ReadRun,
    store::StoreAct::ReadRounds,
    store::StoreAct::ReadInspections,
    store::StoreAct::ReadDecisions,
    store::StoreAct::StoreDecision,
    store::StoreAct::ReadForeign,
    store::StoreAct::StoreForeign,
    store::StoreAct::StoreCalibration,
    store::StoreAct::ListCalibrations,
];

#[test]
#[rustfmt::skip]
fn every_error_of_the_history_keeps_its_words() {
    use rusqlite::ffi;
    let path = || text(1).into();
    let json = || serde_json::from_str::<u8>("[").expect_err("no number");
    let sql = |act, code| store::Error::Sql {
        act, path: path(), source: rusqlite::Error::SqliteFailure(ffi::Error::new(code), Some(text(2))),
    };
    add_all(ACTS.map(|act| sql(act, ffi::SQLITE_MISUSE)));
    let codes = [
        ffi::SQLITE_BUSY, ffi::SQLITE_FULL, ffi::SQLITE_IOERR, ffi::SQLITE_CORRUPT, ffi::SQLITE_READONLY,
    ];
    add_all(codes.map(|code| sql(store::StoreAct::StoreRun, code)));
    add_all([
        store::Error::Folder { path: path(), source: io_error() },
        store::Error::Newer { path: path(), stored: 12, known: 11 },
        store::Error::Json { path: path(), run: text(2), source: json() },
        store::Error::Ambiguous { prefix: text(3), runs: texts() },
    ]);
    assert_golden("store");
}

#[test]
#[rustfmt::skip]
fn every_error_of_the_teams_store_keeps_its_words() {
    use store::TeamError::*;
    let at = || store::TeamAddress::parse("postgres://nina@db.example:5433/perf").expect("an address");
    add_all([
        NotAnAddress, PasswordInAddress, NoSuchEncryption { mode: text(1) },
        Certificates { path: Some(text(1).into()), said: text(2) }, Certificates { path: None, said: text(2) },
        OpenPassfile { path: text(1).into() },
        Empty { at: at() }, Newer { at: at(), stored: 3, known: 2 }, Older { at: at(), stored: 2, known: 3 },
        Conflict { run: text(1), place: text(2) }, Unknown { run: text(1), place: text(2) },
        ManyFit { prefix: text(1), runs: texts() },
        Local(store::Error::Ambiguous { prefix: text(3), runs: texts() }),
    ]);
    assert_golden("team");
}

/// Everything that a scenario file cannot say of a plan.
const PARTS: [import::PlanPart; 33] = [
    import::PlanPart::Phase,
    import::PlanPart::Serial,
    import::PlanPart::Arrivals,
    import::PlanPart::OnFailure,
    import::PlanPart::OwnCookies,
    import::PlanPart::Digest,
    import::PlanPart::Script,
    import::PlanPart::Function,
    import::PlanPart::Encoded,
    import::PlanPart::Dollar,
    import::PlanPart::List,
    import::PlanPart::Index,
    import::PlanPart::Else,
    import::PlanPart::SetTest,
    import::PlanPart::LastOk,
    import::PlanPart::Quotes,
    import::PlanPart::Share,
    import::PlanPart::Branches,
    import::PlanPart::Stop,
    import::PlanPart::Row,
    import::PlanPart::EndMark,
    import::PlanPart::Table,
    import::PlanPart::Counter,
    import::PlanPart::Pause,
    import::PlanPart::Method,
    import::PlanPart::Path,
    import::PlanPart::HeaderName,
    import::PlanPart::File,
    import::PlanPart::PartName,
    import::PlanPart::AnswerPart,
    import::PlanPart::Groups,
    import::PlanPart::ExtractTwice,
    import::PlanPart::Check,
];

#[test]
#[rustfmt::skip]
fn every_obstacle_of_an_import_keeps_its_words() {
    use import::Unsupported::*;
    let mut all = vec![
        Unreadable(text(1)), Nothing, UnknownOption(text(1)), Option(text(1)), NoValue(text(1)), Shell(text(1)),
        OpenQuote, Command(text(1)), NoAddress(text(1)), Scheme(text(1)), Globbing(text(1)), Method(text(1)), Stdin,
        ShellBlock(text(1)), ServerVariable(text(1)), MixedBody, HeaderFile(text(1)), PowerShell(text(1)), Chunks,
        HeaderName(text(1)), NamelessFile(text(1)), ScriptSets(text(1)), Script(text(1)), Dynamic(text(1)),
        Authorization(text(1)), NamedPart(text(1)), OddBody(text(1)), Include(text(1)), NoEnvironment { file: text(1), why: text(2) },
        LogLines { example: text(1), count: 2 }, BodiesNotLogged { method: text(1), count: 2 }, Pattern(text(1)),
        FieldFromFile(text(1)), BinaryBody, RepeatedPart(text(1)), TargetLine(text(1)), Version(text(1)),
        Reference(text(1)), MediaType(text(1)),
    ];
    all.extend(PARTS.map(Plan));
    let places = [None, Some(import::Place::Line(3)), Some(import::Place::Entry(4))];
    let requests = [None, Some(text(2))].into_iter().cycle();
    let all: Vec<_> = all.into_iter().zip(places.into_iter().cycle()).zip(requests)
        .map(|((what, place), request)| import::Obstacle { place, request, what }).collect();
    for few in all.chunks(10).chain([&all[..12], &[all[2].clone(), all[2].clone()]]) {
        add_messages(|lang| Message { message: obstacle_lines(few, "Q9", lang), hint: None });
    }
    assert_golden("obstacles_of_an_import");
}

#[test]
#[rustfmt::skip]
fn every_remark_of_an_import_keeps_its_words() {
    use import::{Place, PlanRemark, Remark::*, Unsupported, Wave};
    let wave = |delay: &str, duration: Option<&str>| Plan(PlanRemark::Wave(Wave {
        group: text(1), users: 3, delay: delay.to_owned(), ramp: text(2), duration: duration.map(str::to_owned),
    }));
    let hosts = vec![(text(1), 2), (text(2), 3)];
    let skipped = |place| Skipped(import::Obstacle::new(place, Unsupported::Stdin));
    let remarks = [
        From(Place::Line(3)), From(Place::Entry(4)), Says(text(1)), StaticLeftOut { count: 2 },
        OthersLeftOut { hosts }, Unanswered { count: 2 }, Preflights { count: 2 }, HeadersLeftOut { names: texts() },
        CookiesBefore { names: texts() }, Redirected { to: text(1) }, Varies { variable: text(1), step: 2 },
        Secret { environment: text(1) }, Files { names: texts() }, Parameter, Insecure, HeadersTaken { names: texts() },
        MethodRepeated(text(1)), TestsLeftOut, Environment { names: texts() }, Logged { requests: 3 }, Authorities(text(1)),
        OptionLeftOut(text(1)), Sample, Deprecated, skipped(Some(Place::Line(3))), skipped(None),
        Plan(PlanRemark::Element { line: 2, name: text(1) }), Plan(PlanRemark::Users(3)),
        wave("0s", None), wave("0s", Some("Q3")), wave("Q4", None), wave("Q4", Some("Q3")),
        Plan(PlanRemark::PausesNotCounted), Plan(PlanRemark::BodiesRepeated), Plan(PlanRemark::UrlNotChecked),
        Plan(PlanRemark::Http2),
    ];
    for remark in &remarks {
        add_messages(|lang| Message { message: say::text(remark, lang), hint: None });
    }
    assert_golden("remarks_of_an_import");
}

#[test]
fn an_import_keeps_the_words_of_its_head() {
    let head =
        |format, users| Head { format, source: "Q1", output: None, origin: None, users, is_mix: false };
    for of in [head(import::Format::Record, 0), head(import::Format::Har, 3)] {
        add_messages(|lang| Message {
            message: of.lines(lang).join("\n"),
            hint: Some(of.written(4, None, lang)),
        });
    }
    assert_golden("head_of_an_import");
}
