//! The keys of an experiment file outside its arms, as a tree: the JSON Schema follows from it. The keys of arms are in
//! [`crate::arm::keys`].
//!
//! What reads a file does not use this tree, so a test compares the two: it asks the parser for the keys of every table.

mod traffic;

use crate::arm::HttpVersion;
use crate::arm::key::ValueType;
use crate::deployment::Namespace;
use crate::experiment::design::file::MOST_PAIRS;
use crate::experiment::{Explain, Pacing};
use crate::reference::Need;
use crate::require::Subject;
use crate::values::Notation;
use model::measure::Measure;
pub use traffic::STEP;
use traffic::{DATA, EVENTS, SCALAR, SCENARIO, STATUS_OF_CALL, STREAM, UNTIL, WORKLOAD};

/// A key of a table of an experiment file.
#[derive(Clone, Copy, Debug)]
pub struct FileKey {
    /// As files write it.
    pub name: &'static str,
    /// What it is, for the schema.
    pub about: &'static str,
    /// The values that it takes.
    pub form: Form,
    /// Whether a file without it is refused.
    pub is_required: bool,
}

/// The form of a value of an experiment file.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// A form that the keys of arms have, too.
    Plain(ValueType),
    /// Any value.
    Any,
    /// Any number.
    Number,
    /// A quantity, as a text in its notation or as a bare number.
    Quantity(Notation),
    /// A quantity, only as a text in its notation.
    QuantityText(Notation),
    /// A list of values of this form.
    ListOf(&'static Form),
    /// A table with these keys.
    Table(&'static [FileKey]),
    /// A table with these keys, and with others whose values have this form.
    OpenTable(&'static [FileKey], &'static Form),
    /// A table with any names, whose values have this form.
    Named(&'static Form),
    /// A table whose names are those that the function returns, with values of this form.
    NamedAs(fn() -> Vec<&'static str>, &'static Form),
    /// The list of arms.
    Arms,
    /// A list of steps of a scenario, which may have steps within ([`STEP`]).
    Steps,
    /// Any of these.
    AnyOf(&'static [Form]),
}

const fn key(name: &'static str, form: Form, about: &'static str) -> FileKey {
    FileKey { name, about, form, is_required: false }
}

const fn required(name: &'static str, form: Form, about: &'static str) -> FileKey {
    FileKey { is_required: true, ..key(name, form, about) }
}

const fn whole(least: u64, most: u64) -> Form {
    Form::Plain(ValueType::Whole { least, most })
}

const TEXT: Form = Form::Plain(ValueType::Text);
const TRUTH: Form = Form::Plain(ValueType::Truth);
const TEXTS: Form = Form::Plain(ValueType::Texts);
const DURATION: Form = Form::Quantity(Notation::Duration);
const SHARE: Form = Form::Quantity(Notation::Share);
const RATE: Form = Form::Quantity(Notation::Rate);
const FIGURE: Form = Form::AnyOf(&[Form::Number, Form::QuantityText(Notation::Duration)]);

/// The keys of an experiment file.
pub const FILE: &[FileKey] = &[
    key(
        "name",
        TEXT,
        "A short name of the experiment; without it the name of the file. The history groups runs by it.",
    ),
    key(
        "question",
        Form::AnyOf(&[TEXT, Form::Table(QUESTION)]),
        "The question in words, in one language or in two.",
    ),
    key("app", TEXT, "The application that the arms run, of those that `prony catalog` lists."),
    key("path", TEXT, "The path that is requested; without it the first of the application."),
    key(
        "expect",
        TEXT,
        "The body of a right answer, for servers of your own; without it the first answer counts as right.",
    ),
    key("unlike_answers", TRUTH, "Whether arms are compared even if their answers differ in size."),
    key(
        "war",
        TEXT,
        "A WAR of your own for all arms, in the place of the application; the path begins at this file.",
    ),
    key(
        "namespace",
        Form::Plain(ValueType::OneOf(|| Namespace::ALL.map(Namespace::id).into())),
        "The Servlet API that the WAR was written for, where the WAR itself does not show it.",
    ),
    key(
        "telemetry",
        Form::AnyOf(&[TRUTH, Form::Plain(ValueType::OneOf(|| vec!["jfr", "true", "false"]))]),
        "How closely all arms are watched; \"jfr\" records the JVM's own events, too.",
    ),
    key(
        "explain",
        Form::Plain(ValueType::OneOf(|| Explain::ALL.map(Explain::id).into())),
        "How far the run goes to find causes: \"off\", \"name\" them, or \"prove\" them in trials.",
    ),
    required("arms", Form::Arms, "The variants of the server, at least one."),
    key(
        "service",
        Form::Named(&Form::Table(SERVICE)),
        "Services that the arms use, such as [service.memcached].",
    ),
    key(
        "request",
        Form::ListOf(&Form::Table(REQUEST)),
        "Several kinds of request in the place of `path`, each a [[request]].",
    ),
    key("workload", Form::Table(WORKLOAD), "A JMeter plan in the place of `path`."),
    key("vars", Form::Named(&SCALAR), "Variables of scenarios, which are set once, before the load."),
    key(
        "data",
        Form::ListOf(&Form::Table(DATA)),
        "Files whose rows are variables of scenarios, each a [[data]].",
    ),
    key(
        "scenario",
        Form::ListOf(&Form::Table(SCENARIO)),
        "Sessions of steps in the place of `path`, each a [[scenario]].",
    ),
    key(
        "link",
        Form::Table(LINK),
        "A network link between the load and the servers, in the place of this machine's loopback.",
    ),
    key("load", Form::Table(LOAD), "How requests arrive."),
    key("fleet", Form::Table(FLEET), "Other machines that make the load: agents, which divide it."),
    key(
        "host",
        TEXT,
        "The machine on which the arms run: ssh://USER@BOX:PORT, or a name to which `--host` gives an address.",
    ),
    key("design", Form::Table(DESIGN), "How the verdict is reached."),
    key("quick", Form::Table(QUICK), "What `prony run --quick` changes, for a first look."),
    key("machine", Form::Table(MACHINE), "Which CPUs the generator and the servers use."),
    key(
        "reference",
        Form::Table(REFERENCE),
        "Figures that somebody else measured, which reports show next to those of the run.",
    ),
    key(
        "require",
        Form::Named(&REQUIRE),
        "Requirements, by measure, by `step` and measure, or by arm; a run in which one does not hold fails.",
    ),
    key(
        "tune",
        Form::Named(&Form::Table(TUNE)),
        "Settings of the application that trials may change, by name.",
    ),
];

const QUESTION: &[FileKey] =
    &[key("en", TEXT, "The question in English."), key("zh", TEXT, "The question in Chinese.")];

const SERVICE: &[FileKey] = &[
    key(
        "command",
        TEXTS,
        "Program and arguments, or the words in the place of an image's own; {host} and {port} stand for where it has to listen.",
    ),
    key("image", TEXT, "The image that a container of podman or docker runs, as \"postgres:16\"."),
    key(
        "compose",
        TEXT,
        "A compose file, from which the service of this name is taken; the path begins at this file.",
    ),
    key(
        "port",
        whole(1, 65535),
        "Where the image listens in its container; by default the only port that it exposes.",
    ),
    key("environment", Form::Named(&SCALAR), "Variables for the image."),
    key("volumes", TEXTS, "Folders and volumes that the image's container gets, as \"./init:/init:ro\"."),
    key(
        "ready",
        TEXT,
        "What shows that it is ready: \"tcp\", \"http /path\", \"line TEXT\" of its output, or for an image \"exec COMMAND\".",
    ),
    key("package", TEXT, "The Debian package that has the program."),
    key("user", TEXT, "The user that it runs as when prony runs as root."),
    key(
        "statements",
        TEXT,
        "Where a PostgreSQL tells what it runs: postgresql://USER:PASSWORD@{host}:{port}/DATABASE; by default its user postgres.",
    ),
];

const STATUS: Form = whole(200, 599);

const REQUEST: &[FileKey] = &[
    key(
        "path",
        TEXT,
        "Path and query; ${n} stands for the number of the iteration. Only calls of gRPC have none.",
    ),
    key("method", TEXT, "The request method; without it GET."),
    key("headers", Form::Named(&TEXT), "Headers in addition to the usual ones."),
    key("body", TEXT, "The body of the request."),
    key(
        "status",
        Form::AnyOf(&[STATUS, STATUS_OF_CALL]),
        "The status of a right answer; without it 200 to 399. Of a call of gRPC its name; without it OK.",
    ),
    key(
        "expect",
        TEXT,
        "The exact body of a right answer; without it any is right. Of a message of WebSocket, a text that its answer has; without it the echo.",
    ),
    key("send", TEXT, "The message that is sent over WebSocket, on connections that are opened at `path`."),
    STREAM,
    EVENTS,
    UNTIL,
    key("grpc", TEXT, "The method of gRPC that is called, as \"shop.Orders/Place\"."),
    key("proto", TEXT, "The .proto file that describes the method; the path begins at this file."),
    key("descriptors", TEXT, "The set of descriptors that describes the method, in the place of `proto`."),
    key(
        "message",
        Form::AnyOf(&[TEXT, Form::Plain(ValueType::Table)]),
        "The message of the call: a table, or a text with its JSON; without it an empty one.",
    ),
    key("deadline", DURATION, "How long the server may take for the call, as grpc-timeout tells it."),
    key(
        "weight",
        whole(1, 1_000_000),
        "Its share of all requests; without any weight they are sent in turn.",
    ),
];

/// A text, or a number or truth value, which stands for its text.
const FLEET: &[FileKey] = &[
    key("nats", TEXT, "The NATS server where the agents wait, such as nats://HOST:4222."),
    key(
        "hosts",
        TEXTS,
        "Where prony starts agents: \"ssh://USER@BOX:PORT\", \"local\" for this machine, or \"podman\" for a container on it.",
    ),
    key(
        "listen",
        TEXT,
        "The address of this machine at which agents reach its servers; without it the one by which the hosts see it.",
    ),
    key("agents", whole(1, 10_000), "The number of agents; without it one on each host."),
    key("creds", TEXT, "A file of mode 0600 with the user and the password for the NATS server."),
    key(
        "on_loss",
        Form::Plain(ValueType::OneOf(|| vec!["invalid", "continue"])),
        "What the result is when an agent was lost.",
    ),
];

const LINK: &[FileKey] = &[
    key("rate", Form::QuantityText(Notation::BitRate), "Bits per second in each direction."),
    key("local_ports", TEXT, "The ports from which the load connects, such as \"40000-40099\"."),
];

const LOAD: &[FileKey] = &[
    key(
        "connections",
        Form::AnyOf(&[whole(1, 60_000), Form::ListOf(&whole(1, 60_000))]),
        "Users, each with a connection of its own; several numbers in ascending order are several levels.",
    ),
    key(
        "http",
        Form::Plain(ValueType::OneOf(|| HttpVersion::ALL.map(HttpVersion::id).into())),
        "The version of HTTP that arms are loaded with which name none: \"1.1\", or \"2\", where each user has a stream.",
    ),
    key(
        "streams",
        whole(1, 60_000),
        "With http = \"2\": the most streams of a connection; there are as many connections as it takes.",
    ),
    key(
        "find",
        Form::Plain(ValueType::OneOf(|| vec!["capacity", "max-rate"])),
        "What is searched for, in the place of a comparison at given loads.",
    ),
    key(
        "objective",
        TEXT,
        "With find = \"max-rate\": what the rate has to keep, such as \"response_p99 < 20ms\".",
    ),
    key("keepalive", TRUTH, "Whether a connection serves more than one request."),
    key("ramp", DURATION, "The time over which connections are opened."),
    key("think", Form::Quantity(Notation::Pause), "Pause of a user between an answer and the next request."),
    key("connect_rate", RATE, "Most connections opened per second."),
    key("shards", whole(1, 256), "Event loops of the generator; each uses one core."),
    key("shared_cpus", TRUTH, "Whether the generator and the servers share all CPUs."),
    key("timeout", DURATION, "A request that takes longer counts as a fault."),
    key("allow", Form::ListOf(&TEXT), "Hosts of arms with a url outside this machine that may be loaded."),
];

const DESIGN: &[FileKey] = &[
    key("baseline", TEXT, "The name of the arm that the others are compared with."),
    key(
        "latency_pairs",
        whole(0, MOST_PAIRS),
        "Pairs of slices per start at the fixed rate, an even number; 0 leaves the stage out.",
    ),
    key(
        "pace",
        Form::Plain(ValueType::OneOf(|| Pacing::ALL.map(Pacing::id).into())),
        "How the arms are loaded at the fixed rate: in turn, together, or in turn for response times and together for CPU per request.",
    ),
    key("latency_slice", DURATION, "Counted part of a slice at the fixed rate."),
    key("latency_rate", RATE, "The fixed rate; without it a share of what the slower arm reaches."),
    key("curve", TRUTH, "Whether a curve over rates is measured, too."),
    key("aa", TRUTH, "All arms are the same on purpose, to see what the measurement itself does."),
    key("headline", MEASURE, "The measure that decides when to stop."),
    key(
        "also",
        Form::ListOf(&MEASURE),
        "Measures that are compared, too: response_p95 and response_p99.9 are only compared where they are asked for.",
    ),
    key("pairs", whole(1, MOST_PAIRS), "Pairs of slices per start and level: an even number, or 1."),
    key("slice", DURATION, "Counted part of a slice."),
    key("settle", DURATION, "Uncounted part of a slice, which comes first."),
    key(
        "startup_cycles",
        whole(0, 20),
        "Starts of each arm that are made for their time alone, before each start that is loaded.",
    ),
    key("warmup", DURATION, "Shortest warm-up."),
    key("warmup_cap", DURATION, "Longest warm-up, however busy compilers still are."),
    key("budget", DURATION, "No start begins that would end later."),
    key("seed", whole(0, i64::MAX as u64), "Seed of everything random."),
    key(
        "alpha",
        Form::Quantity(Notation::ErrorRate),
        "Error rate of all verdicts on the headline together that call an arm better or worse: 1%, 5% or 10%.",
    ),
    key("starts", whole(3, 40), "Most fresh starts of every arm."),
    key(
        "until_sure",
        TRUTH,
        "Whether the run goes on until the verdict is certain, with no most number of starts.",
    ),
    key("gate", SHARE, "Ask only whether the headline is worse by more than this."),
    key(
        "margin",
        Form::AnyOf(&[SHARE, Form::NamedAs(|| Measure::ALL.map(Measure::id).into(), &SHARE)]),
        "Differences smaller than this count as the same: for the headline, or by measure.",
    ),
];

const MEASURE: Form = Form::Plain(ValueType::OneOf(|| Measure::ALL.map(Measure::id).into()));

const QUICK: &[FileKey] = &[
    key("arms", Form::ListOf(&TEXT), "The names of the arms that stay; the baseline stays in any case."),
    key("load", Form::Table(LOAD), "What changes in [load]."),
    key("design", Form::Table(DESIGN), "What changes in [design]."),
    key("budget", DURATION, "The time limit, as in [design]."),
];

const CPUS: Form = Form::AnyOf(&[TEXT, whole(0, 100_000)]);

const MACHINE: &[FileKey] = &[
    key("generator_cpus", CPUS, "The CPUs of the generator, such as \"0-2,5\"."),
    key("server_cpus", CPUS, "The CPUs of the servers."),
];

const REFERENCE: &[FileKey] = &[
    key("source", TEXT, "Who measured them, and where that is written."),
    key("note", TEXT, "What differs from this experiment."),
    key(
        "open",
        Form::ListOf(&Form::Table(OPEN_QUESTION)),
        "Questions that their source left open, which the run is to answer.",
    ),
    key(
        "figures",
        TEXTS,
        "The figures that their tables have, the most important first: measures, columns of JMeter, ab and wrk (`mean`, `max`, `p98`, \
         `connect_max`, `errors` …), or other names. The report has a row for each, for every arm at every level.",
    ),
    key(
        "rows",
        Form::ListOf(&Form::OpenTable(REFERENCE_ROW, &FIGURE)),
        "An arm, a level where that matters, and any figures.",
    ),
];

const OPEN_QUESTION: &[FileKey] = &[
    required("question", Form::AnyOf(&[TEXT, Form::Table(QUESTION)]), "The question in words."),
    required("arm", TEXT, "The arm that it is about."),
    key("level", whole(1, 10_000_000), "The number of users that it is about."),
    key("measure", MEASURE, "The measure whose verdict answers it."),
];

const REFERENCE_ROW: &[FileKey] = &[
    required("arm", TEXT, "The name of an arm."),
    key("level", whole(1, 10_000_000), "The number of users."),
    key(
        "needs",
        Form::Plain(ValueType::OneOf(|| Need::ALL.map(Need::id).into())),
        "What it takes to measure these figures, where the machine does not have it.",
    ),
];

/// A bound, several bounds, or a table: of these by measure for one arm, or of such tables by step.
const REQUIRE: Form = Form::AnyOf(&[TEXT, TEXTS, OF_ARM, OF_STEPS]);
const OF_ARM: Form =
    Form::NamedAs(requirable, &Form::AnyOf(&[TEXT, TEXTS, Form::Named(&Form::Named(&BOUNDS))]));
const OF_STEPS: Form = Form::Named(&Form::NamedAs(subjects, &BOUNDS));
const BOUNDS: Form = Form::AnyOf(&[TEXT, TEXTS]);

/// What can stand below an arm.
fn requirable() -> Vec<&'static str> {
    subjects().into_iter().chain(["step"]).collect()
}

fn subjects() -> Vec<&'static str> {
    let measures = Measure::ALL.map(|measure| Subject::Measure(measure).id());
    measures.into_iter().chain([Subject::Errors.id()]).collect()
}

const TUNE: &[FileKey] = &[
    key("env", TEXT, "The variable of the environment that sets it."),
    key("property", TEXT, "The system property that sets it."),
    required(
        "values",
        Form::ListOf(&Form::AnyOf(&[TEXT, TRUTH, Form::Number])),
        "The values that trials may give it.",
    ),
];
