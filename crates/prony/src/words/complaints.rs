//! Complaints of the program itself, in all their kinds.

use super::{assert_golden, check, io_error, record, text, texts};
use crate::NoPatience;
use crate::against::{AgainstComplaint, Gone};
use crate::args::{FleetComplaint, NotAllowed, UnusedHost};
use crate::cmd::ab::AbComplaint;
use crate::cmd::agent::NotAnAddress;
use crate::cmd::calibrate::CalibrationComplaint;
use crate::cmd::compare::ArmsComplaint;
use crate::cmd::foreign::{Instead, UnsupportedComplaint};
use crate::cmd::history::foreign::FiguresComplaint;
use crate::cmd::import::ImportComplaint;
use crate::cmd::init::InitComplaint;
use crate::cmd::load::LoadComplaint;
use crate::cmd::record::RecordComplaint;
use crate::cmd::report::ReportComplaint;
use crate::cmd::run::ChosenArmsComplaint;
use crate::cmd::wrk::WrkComplaint;
use crate::decisions::DecisionComplaint;
use crate::experiment::{ResumeComplaint, TwoMargins};
use crate::failure::{Code, Failure};
use crate::files::{FileComplaint, Given};
use crate::home::NoHome;
use crate::load_machines::FleetBehindLink;
use crate::lock_file::LockComplaint;
use crate::notifier::{NewsPlace, NotifierComplaint};
use crate::outgoing::Trouble;
use crate::output::{OutAct, OutComplaint};
use crate::stored_run::{Difference, StoredComplaint};
use crate::user_config::ConfigComplaint;
use crate::web::CannotListen;
use ask::slip::{GrpcSlip, Hint, NameSlip};
use import::figures::NoFigures;
use model::foreign::ForeignTool;
use model::patience::Patience;
use model::units::Share;
use say::{Language, SayError};
use traffic::scenario::{FirstFailure, StepFailure};

fn record_all<E: SayError>(complaints: impl IntoIterator<Item = E>) {
    complaints.into_iter().for_each(|complaint| record(&complaint));
}

fn check_all<E: SayError>(complaints: impl IntoIterator<Item = E>) {
    complaints.into_iter().for_each(check);
}

#[test]
#[rustfmt::skip]
fn complaints_of_stored_runs_and_arms_say_the_same_in_both_languages() {
    use AgainstComplaint as Against;
    use ArmsComplaint as Arms;
    use ChosenArmsComplaint as Chosen;
    use ReportComplaint as Report;
    use ResumeComplaint as Resume;
    use StoredComplaint as Stored;
    let (run, arm, arms) = (|| text(3), || text(4), texts);
    let difference = || Difference { fact: text(5), was: Some(text(6)), is: Some(text(7)) };
    check_all([Stored::Unknown { run: run() }, Stored::SingleLoad { run: run() }]);
    check(Resume::OtherConditions { run: run(), differences: vec![difference()] });
    check(Stored::WithoutSecrets { run: run() });
    check(Resume::NoEnvironment { run: run(), variable: text(1) });
    check_all([Report::FromNoFile { run: run(), origin: text(1) }, Report::SingleLoad { run: run() }, Report::OneLevel { run: run() }]);
    check_all([
        Report::Words { path: text(1).into(), line: 12, what: text(2) },
        Report::NoPage { path: text(1).into(), experiment: text(2) },
    ]);
    check_all([
        Against::NoneOf { experiment: text(1) },
        Against::NoArm { run: run(), arm: arm(), arms: arms() },
        Against::SeveralArms { run: run(), arms: arms() },
        Against::OtherService { service: text(1), run: run() },
    ]);
    check_all([Arms::OneAlone, Arms::SeveralServers, Arms::NoUrl]);
    check(UnusedHost { name: text(2) });
    check_all([
        Arms::SameName { name: text(1) },
        Arms::UnknownApp { app: text(3), known: texts() },
        Arms::NeedsServlets { app: text(4), server: text(3), routed: texts() },
        Arms::NeedsDeployment { app: text(4), server: text(3) },
        Arms::OtherPath { app: text(4), path: text(3), paths: texts() },
    ]);
    check_all([
        Chosen::Unknown { name: text(3), nearest: None, arms: texts() },
        Chosen::Unknown { name: text(3), nearest: Some(text(4)), arms: texts() },
        Chosen::OnlyBaseline { baseline: text(1) },
    ]);
    let gone = [
        Gone::File(text(1).into()),
        Gone::Release { server: text(1), version: text(2) },
        Gone::Changed(vec![difference(), difference()]),
    ];
    check_all(gone.map(|why| Against::CannotRepeat { arm: arm(), run: run(), why, measured: Some(text(8)) }));
    assert_golden("complaints_of_stored_runs_and_arms");
}

#[test]
#[rustfmt::skip]
fn complaints_of_files_and_loads_say_the_same_in_both_languages() {
    use CalibrationComplaint as Calibration;
    let path = || text(1).into();
    let given = [Given::Experiment, Given::Mix, Given::Scenario, Given::Jmx, Given::Body, Given::Other];
    check_all(given.map(|given| FileComplaint::Unreadable { given, path: path(), source: io_error() }));
    check_all([
        LockComplaint::Read { path: path(), error: io_error() },
        LockComplaint::Parse { path: path(), problem: text(2) },
        LockComplaint::Write { path: path(), error: io_error() },
    ]);
    let acts = [OutAct::MakeFolder, OutAct::Remove, OutAct::Write, OutAct::Read];
    check_all(acts.map(|act| OutComplaint::File { act, path: path(), source: io_error() }));
    let instead = [
        Instead::Scripts, Instead::System, Instead::Html, Instead::Proxy, Instead::Tls, Instead::Requests, Instead::Threads,
    ];
    check_all(instead.map(|instead| UnsupportedComplaint { flag: "Q", instead }));
    check(OutComplaint::Folder { path: path(), source: io_error() });
    check(FileComplaint::Unwritable { path: path(), source: io_error() });
    let faults = [("reset".to_owned(), 12)].into();
    let first = FirstFailure { why: StepFailure::Surplus(2), request: text(1), answer: text(2) };
    check_all([
        LoadComplaint::NoTime, LoadComplaint::NotAHeader { text: text(1) }, LoadComplaint::NoRightAnswer { faults, first: Some(first) },
        LoadComplaint::NoRightAnswer { faults: [].into(), first: None },
        LoadComplaint::NoRightAnswer { faults: [("proxy".to_owned(), 3)].into(), first: None },
        LoadComplaint::NoRightAnswer { faults: [("tls".to_owned(), 3)].into(), first: None },
        LoadComplaint::NoRightAnswer { faults: [("response_timeout".to_owned(), 3)].into(), first: None },
        LoadComplaint::NoRightAnswer {
            faults: [("wrong_events".to_owned(), 3)].into(),
            first: Some(FirstFailure {
                why: StepFailure::Events { events: 0, asked: None }, request: text(1), answer: text(2),
            }),
        },
        LoadComplaint::NoMessage { url: text(1) }, LoadComplaint::NotOfWebSocket { url: text(1) },
        LoadComplaint::NotCallable {
            method: text(1), why: GrpcSlip::ClientStreams(text(2)), advice: Hint::LeaveOut("Q"),
        },
        LoadComplaint::NoRightAnswer {
            faults: [].into(),
            first: Some(FirstFailure {
                why: StepFailure::GrpcStatus { status: 14, message: Some(text(3)) }, request: text(1), answer: text(2),
            }),
        },
        LoadComplaint::NotRequirable { text: text(1), why: NameSlip::UnknownStep(text(2)).into() },
    ]);
    check_all([AbComplaint::Verbosity, AbComplaint::Concurrency]);
    check_all([
        WrkComplaint::Threads, WrkComplaint::NoTime,
        WrkComplaint::Unreachable { host: text(1), port: 8080, reason: text(2) },
    ]);
    check_all([
        AbComplaint::Reset,
        AbComplaint::NoConnection { host: text(1), port: 8080, fault: load::Fault::ConnectRefused },
    ]);
    check_all([Calibration::VirtualThreads, Calibration::ShortTrial, Calibration::NoEffect]);
    check(NoHome);
    check(NoPatience { variable: "Q", text: text(1), wrong: "0".parse::<Patience>().expect_err("too small") });
    check(TwoMargins);
    check(CannotListen { address: ([127, 0, 0, 1], 80).into(), source: io_error() });
    assert_golden("complaints_of_files_and_loads");
}

#[test]
fn an_error_is_shown_with_its_cause_its_log_and_what_to_do() {
    let died = || lab::Error::Arm {
        arm: text(1),
        source: Box::new(sut::Error::Refused { server: text(2), line: text(3), log: texts() }),
    };
    let failure = Failure::new(Code::Start, died()).details(texts());
    assert_eq!(
        failure.text(Language::En),
        "error: arm `Q1`: Q2 did not start as configured: Q3\n  | Q1\n  | Q2\nhint: the end of its log says why\n"
    );
    assert_eq!(
        failure.text(Language::Zh),
        "错误：对象 `Q1`：Q2 未按配置启动：Q3\n  | Q1\n  | Q2\n提示：原因见其日志末尾\n"
    );
    let path = text(1).into();
    let refused = OutComplaint::File { act: OutAct::Write, path, source: io_error() };
    let failure = Failure::usage(refused);
    assert_eq!(failure.text(Language::En), "error: cannot write Q1\n  caused by: Q9\n");
    assert_eq!(failure.text(Language::Zh), "错误：无法写入 Q1\n  原因：Q9\n");
    assert_eq!(Failure::reported(Code::Invalid).text(Language::En), "");
}

#[test]
fn complaints_of_the_configuration_say_the_same_in_both_languages() {
    let path = || text(1).into();
    let authorization = |refused| ConfigComplaint::Authorization { path: path(), refused };
    let complaints = [
        ConfigComplaint::Mistake { path: path(), line: 2, what: text(3) },
        ConfigComplaint::NoStore { path: path() },
        ConfigComplaint::NoSink { forms: crate::sinks::examples() },
        ConfigComplaint::PasswordInSink,
        ConfigComplaint::CannotListen { address: ([10, 20, 30, 40], 9464).into(), source: io_error() },
        authorization(Some(io_error())),
        authorization(None),
    ];
    check_all(complaints);
    assert_golden("complaints_of_the_configuration");
}

#[test]
fn complaints_about_news_say_the_same_in_both_languages() {
    let complaints = [
        NotifierComplaint::NoWebhook,
        NotifierComplaint::NoMailbox { text: text(2) },
        NotifierComplaint::NoSendmail,
        NotifierComplaint::NotTold { place: NewsPlace::new(text(1)), trouble: Trouble::Unreachable(text(3)) },
    ];
    check_all(complaints);
    assert_golden("complaints_about_news");
}

#[test]
#[rustfmt::skip]
fn every_other_complaint_keeps_its_words() {
    let path = || text(1).into();
    record_all([
        DecisionComplaint::NoChange { run: text(1), experiment: text(2), changes: texts() },
        DecisionComplaint::NoChange { run: text(1), experiment: text(2), changes: Vec::new() },
        DecisionComplaint::NothingDecided { run: text(1), experiment: text(2) },
        DecisionComplaint::LongComment,
    ]);
    let none = |why| FiguresComplaint::None { path: path(), why };
    record_all([
        none(NoFigures::Unknown), none(NoFigures::Empty(ForeignTool::Jmh)),
        none(NoFigures::Broken { tool: ForeignTool::K6, line: Some(4) }),
        none(NoFigures::Broken { tool: ForeignTool::Jmeter, line: None }),
        FiguresComplaint::NoSeries { series: text(1), experiment: text(2) },
    ]);
    record(&LoadComplaint::NoServer);
    record(&NotAllowed { hosts: texts() });
    record(&NotAnAddress { text: text(1), said: text(2) });
    record_all([FleetComplaint::NoFleet, FleetComplaint::PlacedAgentsEnd]);
    record(&FleetBehindLink);
    let source = || serde_json::from_str::<u8>("[").expect_err("no number");
    record_all([
        CalibrationComplaint::NoServlets { server: text(1) },
        CalibrationComplaint::StallsTooLong { share: Share(0.95), most: Share(0.9) },
        CalibrationComplaint::OtherFile { path: path(), line: 3, source: source() },
    ]);
    record_all([
        FileComplaint::Exists { path: path() }, FileComplaint::Unwritable { path: path(), source: io_error() },
    ]);
    record_all([
        InitComplaint::NoSubject { text: text(1) }, 
        InitComplaint::NotBuilt { build: text(2), modules: texts(), others: texts() },
        InitComplaint::NotBuilt { build: text(2), modules: Vec::new(), others: Vec::new() },
        InitComplaint::NotUnderstood { found: texts() },
        InitComplaint::NotANumber { text: text(1) },
    ]);
    record_all([ImportComplaint::UnknownFormat { text: Some(text(1)) }, ImportComplaint::UnknownFormat { text: None }]);
    record_all([
        RecordComplaint::Authority { folder: path(), source: io_error() }, RecordComplaint::NoBrowser { source: io_error() },
    ]);
    record(&ImportComplaint::NoSource { format: text(1) });
    record(&ImportComplaint::NoValue(text(1)));
    record(&ImportComplaint::OtherFormat { file: text(1), what: import::OtherFormat::Json });
    record_all([ConfigComplaint::Authorization { path: path(), refused: None }]);
    assert_golden("other_complaints");
}
