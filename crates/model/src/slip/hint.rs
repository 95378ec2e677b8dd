//! [`Hint`]: what to do about a slip. Examples are what a file would have, and so the same in every language.

use super::TableName;
use crate::scenario::MOST_SERVERS;

/// What to do about a slip.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Hint {
    /// A word that is near, in the quotes that it would have.
    #[error("did you mean {0}?")]
    DidYouMean(String),
    /// What could stand there.
    #[error("{what} {}", .items.join(", "))]
    Listed { what: Listing, items: Vec<String> },
    /// What can be required, and of which arms.
    #[error("measures: {}; arms: {}", .measures.join(", "), .arms.join(", "))]
    MeasuresOrArms {
        measures: Vec<String>,
        arms: Vec<String>,
    },
    /// One of these, as it has to be written.
    #[error("write {}", either(.0))]
    Write(Vec<String>),
    /// One of these, as an example.
    #[error("write for example {}", either(.0))]
    ForExample(Vec<String>),
    /// The head of a table, and what to write below it.
    #[error("write {head} and below it {}", .below.join(" and "))]
    WriteTable {
        head: &'static str,
        /// What stands below it.
        below: &'static [&'static str],
    },
    /// A key of a table.
    #[error("write {key} in {table}")]
    WriteIn {
        /// The key, with its value where one is meant.
        key: String,
        table: &'static str,
    },
    /// This key is left out.
    #[error("leave `{0}` out")]
    LeaveOut(&'static str),
    /// This measure takes the place of the one that was asked for.
    #[error("ask for {0} instead")]
    AskForInstead(&'static str),
    /// Numbers of users for a curve: at least so many.
    #[error("list {0} at least, or give the most: connections = 64")]
    LevelsOfCurve(usize),
    /// Ports: from this one on.
    #[error("write for example \"40000-40099\", from {0} to 65535")]
    Ports(u16),
    /// What to do about an arm, its server or a service.
    #[error(transparent)]
    Arm(#[from] ArmHint),
    /// What is said without any data.
    #[error(transparent)]
    Advice(#[from] Advice),
}

/// `a, b or c`.
fn either(items: &[String]) -> String {
    match items {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        items => items.concat(),
    }
}

/// What is said without any data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Advice {
    #[error("the file must be valid TOML")]
    ValidToml,
    #[error("write \"…\" or {{ en = \"…\", zh = \"…\" }}; without `question` prony asks which arm is faster")]
    QuestionForms,
    #[error("name at least two arms to compare them, or one to ask only what limits it")]
    TwoArms,
    #[error("give each arm a `name` of its own")]
    OwnNames,
    #[error("every level is measured in every start: a few tell more than many")]
    FewLevels,
    #[error("write the levels in ascending order; they are measured in random order")]
    AscendingLevels,
    #[error("write one number of connections")]
    OneNumber,
    #[error("two pairs make one quad, ABBA or BAAB, which cancels drift")]
    EvenPairs,
    #[error("write margin = \"3%\" for the headline, or margin = {{ throughput = \"2%\" }}")]
    MarginForms,
    #[error("prony load --jmx FILE runs the plan by itself, and can leave out what is not supported")]
    PlanAlone,
    #[error("leave one of the two out")]
    LeaveOneOut,
    #[error("leave one of the two out; `budget` limits the time of either")]
    BudgetLimitsBoth,
    #[error("leave the margin of the headline out: the gate takes its place")]
    GateReplacesMargin,
    #[error("leave the margin of the headline out")]
    NoMarginOfHeadline,
    #[error("leave `latency_pairs` out, or ask for at least 2")]
    AtLeastTwoPairs,
    #[error("add find = \"max-rate\"")]
    AddMaxRate,
    #[error("leave `objective` out, or write find = \"max-rate\"")]
    NoObjective,
    #[error("leave --quick out, or add for example [quick] and below it budget = \"5m\"")]
    NoQuickFlag,
    #[error("write it in [require] itself")]
    InRequireItself,
    #[error("write it in [require] itself, for all requests together")]
    WholeLoad,
    #[error("take [link] out, or have prony start the server")]
    NoLink,
    #[error("take [machine] out, or have prony start the server")]
    NoMachine,
    #[error("write the numbers as in generator_cpus = \"0\", server_cpus = \"1-3,5\"; `lscpu -e` lists them")]
    CpuLists,
    #[error("write arm = \"name\": one of this experiment's arms, or another")]
    ReferenceArm,
    #[error(
        "write {{ question = \"Is it?\", arm = \"name\" }}, with measure = \"throughput\" if a verdict answers it and not a cause"
    )]
    OpenQuestion,
    #[error("it begins with / and has no spaces")]
    PathForm,
    #[error(
        "write it out, without variables, as in get = \"https://login.example.com:8443/token\"; there may be fewer than {MOST_SERVERS}"
    )]
    ServerForm,
    #[error("write [[scenario]] and below it [[scenario.step]] with get = \"/\"")]
    ScenarioForm,
    #[error("variables come from [vars], [[data]], and `extract` and `set` of the steps before")]
    Variables,
    #[error("lists come from `extract` with match = \"all\"")]
    Lists,
    #[error(
        "write for example \"${{role}} == 'admin' and not ${{done}}\"; there are and, or, not, ==, !=, <, <=, >, >=, contains, matches"
    )]
    ConditionForm,
    #[error("use letters, digits, `_`, `-` and `.`")]
    NameForm,
    #[error("take one of json, regex, header, cookie and between")]
    OneExtractor,
    #[error("paths are relative to the folder of the scenario file")]
    RelativePaths,
    #[error("close it with `}}`; a plain `${{` is written as `$${{`")]
    CloseBrace,
    #[error("set it before you start prony")]
    SetEnvironment,
    #[error("write nats = \"nats://HOST:4222\", where the agents wait")]
    FleetServer,
    #[error("write \"ssh://HOST\", \"local\" for this machine, or \"podman\" for a container on it")]
    FleetHosts,
    #[error("write an address such as listen = \"10.0.0.1\"")]
    FleetListen,
    #[error(
        "add nats = \"nats://HOST:4222\", where agents wait, or hosts = [\"local\"], where prony starts them"
    )]
    FleetPlaces,
}

/// What to do about an arm, its server or a service.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArmHint {
    /// How an arm names a server that is not of the catalog.
    #[error("write {example} for {server}")]
    WriteFor {
        /// What to write.
        example: String,
        /// For which server.
        server: OwnServer,
    },
    /// A server with its newest version, in quotes.
    #[error("name a version: {0}")]
    NameVersion(String),
    /// The versions of a server that prony runs, in Maven's notation, and one of them.
    #[error("it runs {server} {range}, for example \"{server}:{newest}\"")]
    Versions {
        server: String,
        /// The versions.
        range: String,
        newest: String,
    },
    /// What the release has instead, and the releases that have what was asked for.
    #[error("{present}{}", elsewhere(.others))]
    Instead {
        /// What the release has.
        present: Present,
        /// The releases that have what was asked for.
        others: Vec<String>,
    },
    /// A release of Java that is new enough.
    #[error("write jdk = {0}, or leave it out")]
    Jdk(u32),
    /// The key that holds the further settings of the server.
    #[error("its settings are its `{0}`")]
    FurtherSettings(&'static str),
    /// A service that is not described.
    #[error("describe it in a table: [service.{0}] with its `command`")]
    DescribeService(String),
    /// The services that need no command.
    #[error("write command = [\"PROGRAM\", \"--port\", \"{{port}}\"]; without one prony knows: {}", .0.join(", "))]
    WriteCommand(Vec<String>),
    /// What is said without any data.
    #[error(transparent)]
    Advice(#[from] ArmAdvice),
}

/// The releases that have what was asked for, after what the one at hand has.
fn elsewhere(others: &[String]) -> String {
    match others {
        [] => String::new(),
        others => format!("; what is asked for works on {}", others.join(", ")),
    }
}

/// What is said about an arm without any data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArmAdvice {
    #[error("write a number or \"virtual\"")]
    NumberOrVirtual,
    #[error("take it out")]
    TakeOut,
    #[error(
        "build it with `mvn -Pnative native:compile` or `gradle nativeCompile`, and run the program with server = \"command\""
    )]
    BuildNative,
    #[error("take it out: the report shows the length that the kernel has")]
    KernelLength,
    #[error("take it out: the server was started with what it has")]
    StartedWithIt,
    #[error("take it out, or put it into the command's own arguments")]
    OwnArguments,
    #[error("set it in the jar's own way: by `arguments`, `environment` or `jvm_options`")]
    OwnWay,
    #[error("leave it out, or set it by the server's own `properties`")]
    OwnProperties,
    #[error("give the arm a smaller `heap` (two thirds of `memory` are usual), or more `memory`")]
    SmallerHeap,
    #[error("at least 16M; sizes are 1024-based: \"256M\"")]
    LeastHeap,
    #[error("sizes are 1024-based: \"1024M\" or \"1G\"")]
    BinarySizes,
    #[error("WARs are deployed by standalone servers, as tomcat:VERSION")]
    StandaloneServers,
    #[error("leave it out: only a javax WAR on a server that speaks jakarta is migrated")]
    OnlyJavaxOnJakarta,
    #[error("an arm's `port` sets its port; the address is 127.0.0.1")]
    PortAndAddress,
    #[error("write jdk = 21, \"21.0.8\", \"temurin-21\", or the path of a JDK with its slashes")]
    JdkForms,
    #[error(
        "write build = \"mvn -q -DskipTests package\", or leave it out: Maven and Gradle projects need no command"
    )]
    BuildForms,
    #[error("write a branch, a tag or the id of a commit: git = \"main\"")]
    RevisionForms,
    #[error("write the path as `path` of the file: it is the same for all arms")]
    PathOfTheFile,
    #[error(
        "the CPU of its process is read here: run prony there, with the loopback address; `prony load` takes any URL"
    )]
    RunThere,
    #[error("put {{port}} where the port belongs, and {{host}} where the address does")]
    PutPort,
    #[error("write \"tcp\" (its port is open), \"http /path\" (status 200) or \"line TEXT\" (in its output)")]
    ReadyForms,
}

/// What a hint lists, as the words before the list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Listing {
    #[error("known:")]
    Words,
    #[error("{0} knows:")]
    KeysOf(TableName),
    #[error("known applications:")]
    Applications,
    #[error("applications without servlets:")]
    RoutedApplications,
    #[error("the arms are:")]
    Arms,
    #[error("measures:")]
    Measures,
    #[error("steps:")]
    Steps,
    #[error("functions:")]
    Functions,
    #[error("it takes:")]
    Packages,
    #[error("`{0}` answers")]
    PathsOf(String),
    #[error("the catalog has {0}")]
    ReleasesOf(String),
    #[error("jakarta runs on")]
    JakartaServers,
}

/// A server that does not come from the catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OwnServer {
    #[error("an executable jar of your own")]
    Jar,
    #[error("a server that runs already")]
    Url,
    #[error("a server of your own")]
    Command,
    #[error("an image of your own")]
    Image,
}

/// What a release has in the place of what was asked for, as the beginning of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Present {
    /// There is nothing of the kind.
    #[error("leave it out")]
    Nothing,
    /// One of these words, in their quotes.
    #[error("it has {}", .0.join(", "))]
    Words(Vec<String>),
    /// Threads of a pool.
    #[error("it has platform threads, as threads = 200")]
    PlatformThreads,
}

impl Hint {
    /// One thing that has to be written so.
    pub(crate) fn write(example: impl Into<String>) -> Self {
        Self::Write(vec![example.into()])
    }

    /// One of several things that has to be written so.
    pub(crate) fn write_one_of<const N: usize>(examples: [&str; N]) -> Self {
        Self::Write(examples.map(str::to_owned).into())
    }

    /// One thing that could be written.
    pub(crate) fn for_example(example: impl Into<String>) -> Self {
        Self::ForExample(vec![example.into()])
    }

    /// A list of what could stand there.
    pub(crate) fn listed<T: Into<String>>(what: Listing, items: impl IntoIterator<Item = T>) -> Self {
        let items = items.into_iter().map(Into::into).collect();
        Self::Listed { what, items }
    }
}

impl From<ArmAdvice> for Hint {
    fn from(advice: ArmAdvice) -> Self {
        Self::Arm(advice.into())
    }
}
