//! [`Obstacle`]: something in a plan that cannot run here, with its place and what to do about it.

use model::scenario::MOST_SERVERS;
use thiserror::Error;

/// Something in a plan that cannot run here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// The file, if it is not the plan itself but one that the plan includes.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: u32,
    /// The class of the element.
    pub class: String,
    /// The name that the user gave the element.
    pub name: String,
    /// What is wrong.
    pub what: ObstacleKind,
}

/// What cannot run here.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ObstacleKind {
    /// An element of JMeter that is not known here.
    #[error("this kind of element is not supported")]
    Element,
    /// An element of a plug-in that is not known here.
    #[error("this element belongs to a plug-in that is not supported")]
    Plugin,
    /// A setting that cannot be followed.
    #[error("{0}")]
    Setting(Unsupported),
    /// A function that is not known here.
    #[error("the function `{0}` is not supported")]
    Function(String),
    /// A function whose arguments cannot be followed.
    #[error("the arguments of the function in `{0}` are not supported")]
    Arguments(String),
    /// A function call without its closing brace.
    #[error("the call of `{0}` has no closing brace")]
    Unclosed(String),
    /// A script that needs a JVM.
    #[error("the {language} script uses {what}, which is not supported")]
    Script {
        /// The language.
        language: String,
        /// What it uses.
        what: String,
    },
    /// A script in a file of its own.
    #[error("the script is in a file of its own: {0}")]
    ScriptFile(String),
    /// A value that has to be known before the load starts.
    #[error("`{property}` is `{text}`, which is not known before the load starts")]
    NotFixed {
        /// The property.
        property: String,
        /// Its text.
        text: String,
    },
    /// A path with a variable that nothing sets; JMeter cannot send such a path.
    #[error("the path has the variable `{0}`, which nothing sets")]
    NeverSet(String),
    /// A value that should be a number.
    #[error("`{property}` is `{text}`, which is no number")]
    NoNumber {
        /// The property.
        property: String,
        /// Its text.
        text: String,
    },
    /// A file that cannot be read.
    #[error("the file `{path}` cannot be read: {why}")]
    File {
        /// The file, as the plan names it.
        path: String,
        /// Why.
        why: String,
    },
    /// A file of data that cannot be understood.
    #[error("the file `{path}` is no table of data")]
    Data {
        /// The file, as the plan names it.
        path: String,
    },
    /// A regular expression that is not supported.
    #[error("the regular expression `{pattern}` is not supported: {why}")]
    Regex {
        /// The expression.
        pattern: String,
        /// Why.
        why: String,
    },
    /// A JSONPath that is not supported.
    #[error("the JSONPath `{0}` is not supported")]
    JsonPath(String),
    /// A request to one server too many.
    #[error("the request goes to {0}, and a plan may name fewer than {MOST_SERVERS} servers")]
    TooManyServers(String),
    /// A request that names no server.
    #[error("neither the request nor HTTP Request Defaults name a server")]
    NoServer,
    /// A Module Controller whose target is not in the plan.
    #[error("the plan has no element `{0}` to which the Module Controller points")]
    NoModule(String),
    /// A plan without anything to do.
    #[error("the plan has no enabled thread group with a request")]
    NothingToDo,
}

impl ObstacleKind {
    /// What can be done about it.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Plugin => "use an element of JMeter itself in its place",
            Self::Function(_) | Self::Arguments(_) => "give the value with -Jname=value and ${__P(name)}",
            Self::Unclosed(_) => "close the call with )}",
            Self::Script { .. } => "replace the script by an extractor, an assertion or a function",
            Self::ScriptFile(_) => "put the script into the element",
            Self::NotFixed { .. } => "write the value down, or give it with -Jname=value and ${__P(name)}",
            Self::NeverSet(_) => "define it in User Defined Variables",
            Self::NoNumber { .. } => "write a number",
            Self::File { .. } => "paths are relative to the folder of the plan",
            Self::Data { .. } => "it needs a line for each row, with as many cells as there are names",
            Self::Regex { .. } => "write it without looking around and without references to groups",
            Self::JsonPath(_) => "use names, numbers, [*], .. and filters that compare",
            Self::TooManyServers(_) => "give one URL for all requests: prony load URL --jmx FILE",
            Self::NoServer => "give the URL: prony load URL --jmx FILE",
            Self::Element | Self::Setting(_) | Self::NoModule(_) | Self::NothingToDo => return None,
        })
    }
}

/// A setting that cannot be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Unsupported {
    /// A source address for requests.
    #[error("requests from a given source address are not supported")]
    SourceAddress,
    /// A proxy.
    #[error("requests through a proxy are not supported")]
    Proxy,
    /// A kind of authentication.
    #[error("only basic authentication is supported")]
    Authentication,
    /// Names resolved in another way.
    #[error("own name servers and static hosts are not supported")]
    Names,
    /// A protocol other than HTTP.
    #[error("only http and https are supported")]
    Protocol,
    /// An encoding other than UTF-8.
    #[error("only the encoding UTF-8 is supported")]
    Encoding,
    /// A scope with the sub-samples of redirects or embedded resources.
    #[error("only the main sample or a variable can be looked at")]
    SubSamples,
    /// The size of an answer with its head.
    #[error("only the size of the body can be checked")]
    NetworkSize,
    /// The text of a document such as a PDF.
    #[error("the text of documents cannot be extracted")]
    Document,
    /// Cookies for a part of the requests.
    #[error("cookies are kept for all requests of a thread group or for none")]
    PartialCookies,
    /// Different ways to handle cookies in one group.
    #[error("a thread group can have only one HTTP Cookie Manager")]
    SeveralCookieManagers,
    /// Interleaving the requests of inner controllers.
    #[error("interleaving the requests of inner controllers one by one is not supported")]
    InterleavedControllers,
    /// A scheduler that ends a load before it began.
    #[error("the scheduler needs a duration above 0")]
    NoDuration,
    /// A schedule of arrivals that cannot be read.
    #[error("the schedule of arrivals cannot be read")]
    Schedule,
    /// Variables that are made one by one and read as a list.
    #[error("the variables for the loop come neither from an extractor nor from User Defined Variables")]
    LoopVariables,
    /// A format of numbers that is not known.
    #[error("the format of the number is not supported")]
    NumberFormat,
    /// A file that is not read as JMeter would.
    #[error("the delimiter of quoted data has to be one character")]
    Delimiter,
    /// A way of picking an item that cannot be followed.
    #[error("the match number has to be known before the load starts")]
    MatchNumber,
    /// A mode of a timer.
    #[error("this mode of the Constant Throughput Timer is not supported")]
    TimerMode,
}
