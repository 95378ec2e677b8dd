//! Slips and their hints, in all their kinds.

use super::{add_lines, assert_golden, text, texts};
use ask::slip::*;
use ask::values::{BadQuantity, Notation};
use model::measure::Measure;
use model::units::Bytes;
use traffic::scenario::Server;

fn server() -> Server {
    Server { tls: true, host: text(1), port: 8443 }
}

fn add_slips<S: Into<Slip>>(slips: impl IntoIterator<Item = S>) {
    for slip in slips {
        let slip = slip.into();
        add_lines(|lang| say::text(&slip, lang));
    }
}

fn add_hints<H: Into<Hint>>(hints: impl IntoIterator<Item = H>) {
    for hint in hints {
        let hint = hint.into();
        add_lines(|lang| say::text(&hint, lang));
    }
}

#[rustfmt::skip]
fn add_shapes() {
    use ShapeSlip::*;
    add_slips([
        Unexpected { expected: ExpectedValue::Text, found: FoundValue::Text },
        Unexpected { expected: ExpectedValue::Truth, found: FoundValue::Integer },
        Unexpected { expected: ExpectedValue::TruthOr("Q1"), found: FoundValue::Fraction },
        Unexpected { expected: ExpectedValue::List, found: FoundValue::Truth },
        Unexpected { expected: ExpectedValue::Table(TableName::Experiment), found: FoundValue::Date },
        Unexpected { expected: ExpectedValue::Table(TableName::Arm), found: FoundValue::List },
        Unexpected { expected: ExpectedValue::Table(TableName::Mix), found: FoundValue::Table },
        Unexpected { expected: ExpectedValue::Table(TableName::Request), found: FoundValue::Value(text(1)) },
        Unexpected { expected: ExpectedValue::Table(TableName::Service), found: FoundValue::Text },
        Unexpected { expected: ExpectedValue::Table(TableName::Question), found: FoundValue::Integer },
        Unexpected { expected: ExpectedValue::Table(TableName::ReferenceRow), found: FoundValue::Fraction },
        Unexpected { expected: ExpectedValue::Table(TableName::OpenQuestion), found: FoundValue::Truth },
        Unexpected { expected: ExpectedValue::Table(TableName::Tunable), found: FoundValue::Date },
        Unexpected { expected: ExpectedValue::Table(TableName::Key("Q1")), found: FoundValue::List },
        Unexpected { expected: ExpectedValue::TableLike("Q1"), found: FoundValue::Table },
        Unexpected { expected: ExpectedValue::TablesLike("Q1"), found: FoundValue::Value(text(1)) },
        Unexpected { expected: ExpectedValue::Setting, found: FoundValue::Text },
        Unexpected { expected: ExpectedValue::Figure, found: FoundValue::Integer },
        Unexpected { expected: ExpectedValue::Cpus, found: FoundValue::Fraction },
        Unexpected { expected: ExpectedValue::Quantity(Notation::Duration), found: FoundValue::Truth },
        Unexpected { expected: ExpectedValue::Quantity(Notation::Count), found: FoundValue::Date },
        Unexpected { expected: ExpectedValue::Quantity(Notation::Size), found: FoundValue::List },
        Unexpected { expected: ExpectedValue::Quantity(Notation::Rate), found: FoundValue::Table },
        Unexpected { expected: ExpectedValue::Quantity(Notation::BitRate), found: FoundValue::Value(text(1)) },
        Unexpected { expected: ExpectedValue::Quantity(Notation::Pause), found: FoundValue::Text },
        Unexpected { expected: ExpectedValue::Quantity(Notation::Course), found: FoundValue::Integer },
        Unexpected { expected: ExpectedValue::Quantity(Notation::ReadUntil), found: FoundValue::Truth },
        Unexpected { expected: ExpectedValue::Quantity(Notation::Share), found: FoundValue::Fraction },
        Unexpected { expected: ExpectedValue::Quantity(Notation::ErrorRate), found: FoundValue::Truth },
        Unexpected { expected: ExpectedValue::Integer { least: 11, most: 12 }, found: FoundValue::Date },
        Unexpected { expected: ExpectedValue::Between { least: text(1), most: text(2) }, found: FoundValue::List },
        Unexpected { expected: ExpectedValue::CpusBetween { least: text(1), most: text(2) }, found: FoundValue::Table },
        Unexpected { expected: ExpectedValue::Levels(11), found: FoundValue::Value(text(1)) },
        Unexpected { expected: ExpectedValue::Values(11), found: FoundValue::Text },
        UnknownWord(text(1)), UnknownKey { key: text(1), table: TableName::Experiment },
        UnknownKey { key: text(1), table: TableName::Arm },
        UnknownKey { key: text(1), table: TableName::Mix },
        UnknownKey { key: text(1), table: TableName::Request },
        UnknownKey { key: text(1), table: TableName::Service },
        UnknownKey { key: text(1), table: TableName::Question },
        UnknownKey { key: text(1), table: TableName::ReferenceRow },
        UnknownKey { key: text(1), table: TableName::OpenQuestion },
        UnknownKey { key: text(1), table: TableName::Tunable },
        UnknownKey { key: text(1), table: TableName::Key("Q1") },
        Lacks { owner: Owner::Experiment, key: "Q2" }, Lacks { owner: Owner::Reference, key: "Q2" },
        Lacks { owner: Owner::ReferenceRow, key: "Q2" },
        Lacks { owner: Owner::OpenQuestion, key: "Q2" }, Lacks { owner: Owner::Request, key: "Q2" },
        Lacks { owner: Owner::DataSource, key: "Q2" }, Lacks { owner: Owner::Workload, key: "Q2" },
        Lacks { owner: Owner::Arm, key: "Q2" }, Lacks { owner: Owner::ArmWithoutServer, key: "Q2" },
        Lacks { owner: Owner::Service(text(1)), key: "Q2" },
        Lacks { owner: Owner::Tunable(text(1)), key: "Q2" },
    ]);
}

#[rustfmt::skip]
fn add_quantities() {
    use BadQuantity::*;
    add_slips([
        Form { quantity: Notation::Duration, text: text(2) },
        Form { quantity: Notation::Count, text: text(2) },
        Form { quantity: Notation::Size, text: text(2) },
        Form { quantity: Notation::Rate, text: text(2) },
        Form { quantity: Notation::BitRate, text: text(2) },
        Form { quantity: Notation::Pause, text: text(2) },
        Form { quantity: Notation::Course, text: text(2) },
        Form { quantity: Notation::ReadUntil, text: text(2) },
        Form { quantity: Notation::Share, text: text(2) },
        Form { quantity: Notation::ErrorRate, text: text(2) }, Duration(text(1)), ErrorRate(text(1)),
    ]);
}

#[rustfmt::skip]
fn add_names() {
    use NameSlip::*;
    add_slips([
        UnknownApp(text(1)), UnknownServer(text(1)),
        UnknownRelease { server: text(1), version: text(2) }, UnknownMeasure(text(1)),
        UnknownArm(text(1)), UnknownService(text(1)), NothingToRequire(text(1)), UnknownStep(text(1)),
        NotOfAStep(text(1)), NotARelease(text(1)), NeedsServlets { app: text(1), server: text(2) },
        NeedsDeployment { app: text(1), server: text(2) }, UnknownPath { app: text(1), path: text(2) }, SameName(text(1)), NoArms, OneArm,
    ]);
}

#[rustfmt::skip]
fn add_requests() {
    use RequestSlip::*;
    add_slips([
        NoRequest, NoSlash, NotAPath(text(1)), NotAServer(text(1)), NotAMethod(text(1)), AnswerKnown,
        EventsWithoutStream, TwoEventCounts, NoQuestion,
    ]);
}

#[rustfmt::skip]
fn add_calls() {
    use GrpcSlip::*;
    add_slips([
        File { path: text(1), why: text(2) }, NoImport { import: text(1), path: text(2) },
        NotProto { path: text(1), why: text(2) }, NotDescriptors { path: text(1), why: text(2) }, NotAMethod(text(1)),
        UnknownService { name: text(1), known: texts() },
        UnknownMethod { service: text(1), name: text(2), known: texts() }, ClientStreams(text(1)),
        NotAMessage { kind: text(1), why: text(2) }, Changing("Q1"), NoSchema, TwoSchemas, NotOfACall("Q1"),
        OnlyOfACall("Q1"), Unary("Q1"), NeedsHttp2 { arm: text(1) }, NoService { arm: text(1) },
    ]);
}

#[rustfmt::skip]
fn add_messages() {
    use WebSocketSlip::*;
    add_slips([
        NotOfAMessage("Q1"), NotOfOpening("Q1"), RequestsToo, OtherConnection, OverHttp2 { arm: text(1) }, NotOpened,
        NothingAwaited("Q1"),
    ]);
}

#[rustfmt::skip]
fn add_fleets() {
    use FleetSlip::*;
    add_slips([
        NotAServer(text(1)), NotAHost(text(1)), NotAnAddress(text(1)), NoPlace, TwoPlaces, BehindLink,
    ]);
}

#[rustfmt::skip]
fn add_networks() {
    use NetworkSlip::*;
    add_slips([
        Resolve(text(1)), ConnectTo(text(1)), Source { text: text(1), most: 256 }, Proxy(text(1)), KeyAlone,
        InsecureWithAuthority, LookupByProxy,
    ]);
}

#[rustfmt::skip]
fn add_arms() {
    use ArmSlip::*;
    add_slips([
        Name, Jdk(text(1)), SmallHeap(Bytes(16 << 20)), SmallMemory(Bytes(16 << 20)),
        HeapFillsMemory { heap: Bytes(16 << 20), memory: Bytes(16 << 20) }, HeapTwice,
        SetByProny(text(1)), NotAnAddress(text(1)), NotAHost(text(1)), BeyondLink(text(1)),
        ContainerElsewhere, WhoseFigures, NotMatchers(text(1)), AddressWithPath(text(1)), NoBuildCommand,
        NotARevision(text(1)), Image(text(1)), Volume(text(1)), Variable(text(1)),
        RunsBeforeLink(text(1)), OwnPath, OwnPathBesideRequests, ContextPath(text(1)),
    ]);
}

#[rustfmt::skip]
fn add_services() {
    use ServiceSlip::*;
    add_slips([
        NoProgram, NoPort, Ready(text(1)), Misplaced("Q1"),
    ]);
    use ComposeFlaw::*;
    let flaws = [
        Unreadable(text(1)), NoService { name: text(1), known: texts() }, NoService { name: text(1), known: Vec::new() },
        NoImage, Unsupported(text(1)), Value(text(1)), Unset(text(1)), SeveralPorts { ports: texts() },
    ];
    add_slips(flaws.map(|flaw| Compose { file: text(3), flaw }));
}

#[rustfmt::skip]
fn add_unfit_keys() {
    use UnfitSlip::*;
    add_slips([
        Misplaced { key: "Q1", why: Misplacement::ForJars },
        Misplaced { key: "Q1", why: Misplacement::ForSpringBoot },
        Misplaced { key: "Q1", why: Misplacement::NotForServer(text(1)) },
        Misplaced { key: "Q1", why: Misplacement::NotForUrls },
        Misplaced { key: "Q1", why: Misplacement::NotForCommands },
        Misplaced { key: "Q1", why: Misplacement::NotForJars },
        Misplaced { key: "Q1", why: Misplacement::NotForBootJars }, AcceptCountInBoot("Q1"),
        Package { server: text(1), package: "Q2" }, FurtherSettings { server: text(1), key: "Q2" },
        AccessLog(text(1)), NoSetting { server: text(1), key: "Q2" },
        Connector { release: text(1), connector: "Q2" }, Tls { release: text(1), tls: "Q2" }, NoCertificate,
        VirtualThreads(text(1)), NothingToBuild("Q1"), NoWar(text(1)), JakartaOnJavax(text(1)),
        NothingToMigrate(text(1)), DoesNotMigrate(text(1)), AprWithoutOpenSsl, DeepContextPath(text(1)),
        OtherConfiguration { server: text(1), key: "Q2" }, InOwnConfiguration { key: "Q1", own: "Q2" },
        OldJava { need: JavaNeed::Server, least: 12, asked: 13 },
        OldJava { need: JavaNeed::VirtualThreads, least: 12, asked: 13 },
        OldJava { need: JavaNeed::OpenSslFfm, least: 12, asked: 13 },
        OldJava { need: JavaNeed::Alpn, least: 12, asked: 13 },
        Http2 { release: text(1), over_tls: false }, Http2 { release: text(1), over_tls: true }, StreamsOfHttp1,
    ]);
}

#[rustfmt::skip]
fn add_designs() {
    use DesignSlip::*;
    add_slips([
        CapUntilSure, TwoMargins, OddPairs, LevelOrder { level: 11, before: 12 }, ObjectiveWithoutFind,
        ObjectiveOfCapacity, NoObjective, FewLevels(11), LevelsOfMaxRate, NoFixedRate("Q1"),
        WithoutFixedRate("Q1"), OtherFindInQuick, OtherHttpInQuick, ClosesStreams { arm: text(1) }, Ports(text(1)), CpuList(text(1)), CpuOnBothSides(11),
        SharedAndDivided, CpusOfRunning(text(1)), TunedBy(text(1)), NothingToTune(text(1)),
    ]);
}

#[rustfmt::skip]
fn add_unmeasured() {
    use NotMeasured::*;
    add_slips([
        WithoutFind { find: text(1), measure: Measure::ResponseP99 },
        WithFind { find: "Q1", measure: Measure::ResponseP99 }, WithoutFixedRate(Measure::ResponseP99),
        OfAnUnseenArm(Measure::CpuPerRequest),
    ]);
}

#[rustfmt::skip]
fn add_requirements() {
    use RequirementSlip::*;
    add_slips([
        NotAnObjective(text(1)), NotAPercentile(text(1)), NotABound("Q1"), ThroughputOfAStep, NoUnit(text(1)), ZeroLimit, RelativeErrors,
        NotUnderstood(text(1)), NotARequirement(text(1)), UpperBound(text(1)), LowerBound(text(1)),
        OfTheBaseline, GateOfOneArm, GateTwice, NoSteps,
    ]);
}

#[rustfmt::skip]
fn add_scenarios() {
    use ScenarioSlip::*;
    add_slips([
        NoScenario, NoStep, IdleStep, TwoDeeds("Q1", "Q2"), TwoBodies("Q1", "Q2"),
        UnknownVariable(text(1)), UnknownList(text(1)), Unclosed, NoName, UnknownFunction(text(1)),
        Arguments, NoEnvironment(text(1)), Condition(text(1)), JsonPath(text(1)), Regex(text(1)),
        File { path: text(1), why: text(2) }, NoRows { path: text(1) },
        Cells { path: text(1), line: 12, found: 13, expected: 14 }, Quote { path: text(1), line: 12 },
        NotAnObject { path: text(1), line: 12 }, TooLarge { path: text(1) }, BadName(text(1)),
        RequestsToo, OtherServer(server()), OfRequests("Q1"), Plan(text(1)), PlanPhases,
        PlanProperties, Extractor,
    ]);
}

#[rustfmt::skip]
fn add_general_hints() {
    use Hint::*;
    add_hints([
        DidYouMean(text(1)), Listed { what: Listing::Words, items: texts() },
        Listed { what: Listing::KeysOf(TableName::Experiment), items: texts() },
        Listed { what: Listing::KeysOf(TableName::Arm), items: texts() },
        Listed { what: Listing::KeysOf(TableName::Mix), items: texts() },
        Listed { what: Listing::KeysOf(TableName::Request), items: texts() },
        Listed { what: Listing::KeysOf(TableName::Service), items: texts() },
        Listed { what: Listing::KeysOf(TableName::Question), items: texts() },
        Listed { what: Listing::KeysOf(TableName::ReferenceRow), items: texts() },
        Listed { what: Listing::KeysOf(TableName::OpenQuestion), items: texts() },
        Listed { what: Listing::KeysOf(TableName::Tunable), items: texts() },
        Listed { what: Listing::KeysOf(TableName::Key("Q1")), items: texts() },
        Listed { what: Listing::Applications, items: texts() },
        Listed { what: Listing::RoutedApplications, items: texts() },
        Listed { what: Listing::Arms, items: texts() },
        Listed { what: Listing::Measures, items: texts() },
        Listed { what: Listing::Steps, items: texts() },
        Listed { what: Listing::Functions, items: texts() },
        Listed { what: Listing::Services, items: texts() },
        Listed { what: Listing::Methods, items: texts() },
        Listed { what: Listing::Packages, items: texts() },
        Listed { what: Listing::PathsOf(text(1)), items: texts() },
        Listed { what: Listing::ReleasesOf(text(1)), items: texts() },
        Listed { what: Listing::JakartaServers, items: texts() },
        MeasuresOrArms { measures: texts(), arms: texts() }, Write(texts()), ForExample(texts()),
        WriteTable { head: "Q1", below: &["Q1", "Q2"] }, WriteIn { key: text(1), table: "Q2" },
        LeaveOut("Q1"), AskForInstead("Q1"), LevelsOfCurve(11), Ports(11),
    ]);
}

#[rustfmt::skip]
fn add_advice() {
    use Advice::*;
    add_hints([
        ValidToml, QuestionForms, TwoArms, OwnNames, FewLevels, AscendingLevels, KeepStreams, OneNumber, EvenPairs,
        MarginForms, PlanAlone, LeaveOneOut, BudgetLimitsBoth, GateReplacesMargin, NoMarginOfHeadline,
        AtLeastTwoPairs, AddMaxRate, NoObjective, NoQuickFlag, InRequireItself, WholeLoad, RequireForm, NoLink,
        NoMachine, CpuLists, ReferenceArm, OpenQuestion, PathForm, ServerForm, ScenarioForm, Variables,
        Lists, ConditionForm, NameForm, OneExtractor, RelativePaths, CloseBrace, MessagesInScenario, SetEnvironment,
        FleetServer, FleetHosts, FleetListen, FleetPlaces,
    ]);
    add_hints([
        GrpcAdvice::ProtoPaths, GrpcAdvice::Protoc, GrpcAdvice::MessageForm, GrpcAdvice::OneMessage, GrpcAdvice::SeveralCalls,
        GrpcAdvice::ServerOfYourOwn,
    ]);
}

#[rustfmt::skip]
fn add_hints_for_arms() {
    use ArmHint::*;
    add_hints([
        WriteFor { example: text(1), server: OwnServer::Jar },
        WriteFor { example: text(1), server: OwnServer::Url },
        WriteFor { example: text(1), server: OwnServer::Command },
        WriteFor { example: text(1), server: OwnServer::Image }, NameVersion(text(1)),
        Otherwise { called: "Q1", arm: text(2) }, OtherWays(texts()),
        Versions { server: text(1), range: text(2), newest: text(3) },
        Instead { present: Present::Nothing, others: texts() },
        Instead { present: Present::Words(texts()), others: texts() },
        Instead { present: Present::PlatformThreads, others: texts() },
        OtherHttp2 { others: texts(), sources: texts() }, OtherHttp2 { others: Vec::new(), sources: Vec::new() }, Jdk(11), FurtherSettings("Q1"),
        DescribeService(text(1)), WriteCommand(texts()),
    ]);
}

#[rustfmt::skip]
fn add_advice_for_arms() {
    use ArmAdvice::*;
    add_hints([
        NumberOrVirtual, TakeOut, BuildNative, KernelLength, StartedWithIt, OwnArguments, OwnWay,
        OwnProperties, SmallerHeap, LeastHeap, BinarySizes, StandaloneServers, OnlyJavaxOnJakarta,
        PortAndAddress, JdkForms, BuildForms, RevisionForms, PathOfTheFile, PutPort,
        ReadyForms,
    ]);
}

#[test]
fn every_slip_of_a_value_keeps_its_words() {
    add_slips([Slip::Toml(text(1))]);
    add_shapes();
    add_quantities();
    add_names();
    add_requests();
    add_calls();
    add_messages();
    add_fleets();
    add_networks();
    assert_golden("slips_of_values");
}

#[test]
fn every_slip_of_an_arm_keeps_its_words() {
    add_arms();
    add_services();
    add_unfit_keys();
    assert_golden("slips_of_arms");
}

#[test]
fn every_slip_of_a_design_keeps_its_words() {
    add_designs();
    add_unmeasured();
    add_requirements();
    add_scenarios();
    assert_golden("slips_of_designs");
}

#[test]
fn every_hint_keeps_its_words() {
    add_general_hints();
    add_advice();
    add_hints_for_arms();
    add_advice_for_arms();
    assert_golden("hints_of_slips");
}
