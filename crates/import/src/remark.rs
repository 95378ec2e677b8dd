//! What an import tells its user, as values: [`Remark`]s stand in the scenario that is written, [`Obstacle`]s keep it from being
//! written. The program turns them into sentences.

/// What was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Command lines of curl.
    Curl,
    /// An HTTP Archive.
    Har,
    /// An OpenAPI document.
    OpenApi,
    /// Targets of vegeta.
    Vegeta,
    /// A JMeter plan.
    Jmx,
    /// Requests that went through the proxy of `prony record`.
    Record,
}

impl Format {
    /// The name on the command line.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Curl => "curl",
            Self::Har => "har",
            Self::OpenApi => "openapi",
            Self::Vegeta => "vegeta",
            Self::Jmx => "jmx",
            Self::Record => "record",
        }
    }
}

/// Where in the source something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line, from 1.
    Line(usize),
    /// An entry of an archive or a recording, from 1.
    Entry(usize),
}

/// What a reader of a scenario should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// Where a step comes from.
    From(Place),
    /// What the source says about a step.
    Says(String),
    /// Requests for files that do not change were left out because this was asked for.
    StaticLeftOut {
        /// How many.
        count: usize,
    },
    /// Requests to other servers were left out.
    OthersLeftOut {
        /// Their hosts, each with the number of requests.
        hosts: Vec<(String, usize)>,
    },
    /// Requests without an answer were left out: blocked, cancelled or failed.
    Unanswered {
        /// How many.
        count: usize,
    },
    /// Preflight requests, which browsers make by themselves, were left out.
    Preflights {
        /// How many.
        count: usize,
    },
    /// Headers that a client sets by itself were left out.
    HeadersLeftOut {
        /// Their names.
        names: Vec<String>,
    },
    /// Cookies that no answer has set were sent, and are left out.
    CookiesBefore {
        /// Their names.
        names: Vec<String>,
    },
    /// The step follows a redirect to this address, which was a request of its own in the source.
    Redirected {
        /// Where it led.
        to: String,
    },
    /// A value of the request was in the answer to an earlier step, and is taken from there.
    Varies {
        /// The variable.
        variable: String,
        /// The number of the step, from 1.
        step: usize,
    },
    /// The value is a secret, and is taken from the environment.
    Secret {
        /// The variable of the environment.
        environment: String,
    },
    /// The files of a form are not in the source: they have to be put beside the scenario.
    Files {
        /// Their names.
        names: Vec<String>,
    },
    /// The value is a parameter of a path.
    Parameter,
    /// The source checked no certificate: `prony load --insecure` does not either.
    Insecure,
    /// The source trusted the certificate authorities of a file.
    Authorities(String),
    /// An option of the source that has no meaning for a load was left out.
    OptionLeftOut(String),
    /// The body is a sample made from a schema.
    Sample,
    /// The operation is deprecated.
    Deprecated,
    /// Something that is not supported was left out because this was asked for.
    Skipped(Obstacle),
    /// What only the import of a JMeter plan tells.
    Plan(PlanRemark),
}

/// What a reader of a scenario should know of the JMeter plan from which it comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanRemark {
    /// The element from which a step comes.
    Element {
        /// Its line, from 1.
        line: usize,
        /// Its class and name.
        name: String,
    },
    /// The number of users.
    Users(u64),
    /// Users who come together; the load says that, and not the scenario.
    Wave(Wave),
    /// Pauses within a group of steps are not a part of its time, as they were in the plan.
    PausesNotCounted,
    /// A redirect by 307 or 308 sends the body again, which JMeter does not follow.
    BodiesRepeated,
}

/// Users of a thread group who come together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wave {
    /// The group.
    pub group: String,
    /// How many.
    pub users: u64,
    /// When the first comes, as files write times.
    pub delay: String,
    /// Over which time they come.
    pub ramp: String,
    /// How long they go on; `None` without end.
    pub duration: Option<String>,
}

/// Something in the source that cannot become a part of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// Where it is; `None` for the whole source.
    pub place: Option<Place>,
    /// What it is.
    pub what: Unsupported,
}

/// What cannot become a part of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsupported {
    /// The source is not of the format at all; with what its parser says.
    Unreadable(String),
    /// There is no request in it.
    Nothing,
    /// An option of curl that is not known.
    UnknownOption(String),
    /// An option of curl that changes the request in a way that prony cannot.
    Option(String),
    /// An option of curl without its value.
    NoValue(String),
    /// Something of the shell: a pipe, a command whose output is used.
    Shell(String),
    /// A quote that does not end.
    OpenQuote,
    /// A command line that was copied for cmd.exe.
    CmdQuotes,
    /// A command other than curl.
    Command(String),
    /// No address in a request.
    NoAddress(String),
    /// A scheme other than http and https.
    Scheme(String),
    /// Another server than that of the first request.
    OtherServer {
        /// The server of the request.
        server: String,
        /// The server of the first request.
        first: String,
    },
    /// A pattern in an address that stands for several.
    Globbing(String),
    /// A method that scenarios do not have.
    Method(String),
    /// A body that is read from stdin.
    Stdin,
    /// A form field with the content of a file.
    FieldFromFile(String),
    /// A body that is not a text.
    BinaryBody,
    /// A multipart form in which a name occurs several times.
    RepeatedPart(String),
    /// A line that is no part of a target of vegeta.
    TargetLine(String),
    /// A version of the format that is not read.
    Version(String),
    /// A reference to something that is not in the document.
    Reference(String),
    /// A media type of a body for which no sample can be made.
    MediaType(String),
    /// A part of a plan that a scenario file cannot say.
    Plan(PlanPart),
}

/// A part of a plan that a scenario file cannot say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanPart {
    /// A group that runs before or behind the load.
    Phase,
    /// Groups that run one after the other.
    Serial,
    /// Sessions that begin at a rate of the plan's own.
    Arrivals,
    /// What a failure does.
    OnFailure,
    /// Cookies from the start.
    OwnCookies,
    /// A script.
    Script,
    /// A function, or arguments of it.
    Function,
    /// An encoded text that contains a function.
    Encoded,
    /// A dollar sign before a variable.
    Dollar,
    /// A list that no extractor makes, or a part of one.
    List,
    /// The number of a pass.
    Index,
    /// What is done if a condition does not hold.
    Else,
    /// Whether a variable is set.
    SetTest,
    /// Whether the last request was right.
    LastOk,
    /// Quotes of both kinds in a condition.
    Quotes,
    /// A part of the passes other than a percentage of all.
    Share,
    /// One of several branches.
    Branches,
    /// Stopping something.
    Stop,
    /// A row of data that is not taken at the begin of a session.
    Row,
    /// A mark at the end of data.
    EndMark,
    /// A table of data in another form.
    Table,
    /// A counter other than 1, 2, 3 over all users.
    Counter,
    /// A pause.
    Pause,
    /// A method.
    Method,
    /// A path.
    Path,
    /// A header whose name has a variable.
    HeaderName,
    /// A header that is sent twice.
    HeaderTwice,
    /// Content that is in no file.
    File,
    /// A part of a multipart form.
    PartName,
    /// A part of an answer.
    AnswerPart,
    /// Several groups of a regular expression.
    Groups,
    /// Two extractors for one variable.
    ExtractTwice,
    /// What makes an answer right.
    Check,
}
