//! [`Error`]: why a fleet does not make its load.

use crate::message::AgentRefusal;
use std::path::PathBuf;

/// The part of a plan that is too small to give every machine a share of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Users, or connections of a rate.
    Users,
    /// Connections that users share.
    Connections,
    /// Requests.
    Requests,
}

/// Why an agent refused its share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It may not load this target.
    Target(String),
    /// It was told to begin in the past.
    TooLate,
    /// It has another load, or none to start.
    Busy,
    /// Its generator refused the plan, in its own words.
    Plan(String),
}

/// Why a fleet does not make its load.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is not one for each machine.
    #[error("{whole} {} cannot be divided among {agents} agents", match .what { Missing::Users => "connections", Missing::Connections => "shared connections", Missing::Requests => "requests" })]
    TooSmall {
        /// Which part is too small.
        what: Missing,
        /// How many there are.
        whole: u64,
        /// How many agents want a share.
        agents: u64,
    },
    /// Agents would have to wait for each other's users.
    #[error(
        "some users begin when others have ended, and the users of one agent do not wait for those of others"
    )]
    InStages,
    /// The NATS server refuses the user or password.
    #[error("the NATS server at {server} does not accept these credentials")]
    NotAuthorized {
        /// The server.
        server: String,
    },
    /// The NATS server does not permit what is needed.
    #[error("the NATS server does not permit it: {said}")]
    NotPermitted {
        /// What the server said.
        said: String,
    },
    /// The NATS server cannot be reached.
    #[error("cannot connect to the NATS server at {server}: {said}")]
    NoServer {
        /// The server.
        server: String,
        /// What the client said.
        said: String,
    },
    /// Fewer agents said hello than were asked for.
    #[error("{found} of {wanted} agents are there after {seconds} s")]
    TooFewAgents {
        /// Agents that said hello.
        found: usize,
        /// Agents that were asked for.
        wanted: usize,
        /// How long they were awaited.
        seconds: u64,
    },
    /// An agent has another version.
    #[error("an agent speaks version {theirs} of the protocol, and this prony version {ours}")]
    OtherVersion {
        /// Its version.
        theirs: u16,
        /// Ours.
        ours: u16,
    },
    /// An agent does not answer.
    #[error("agent {agent} does not answer")]
    NoAnswer {
        /// The agent.
        agent: String,
    },
    /// An agent refuses its share.
    #[error("agent {agent} refuses: {refusal}")]
    Refused {
        /// The agent.
        agent: String,
        /// Why.
        refusal: Refusal,
    },
    /// The share does not fit into a message.
    #[error("the requests take {bytes} bytes, and a message has at most {limit}")]
    PlanTooLarge {
        /// Bytes of the share.
        bytes: usize,
        /// The most.
        limit: usize,
    },
    /// An id that cannot be part of a subject.
    #[error("`{id}` cannot be the id of an agent")]
    BadId {
        /// The id.
        id: String,
    },
    /// A file cannot be read or written.
    #[error("cannot use {}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Others can read the credentials.
    #[error("others than its owner can read {} (mode {mode:o})", .path.display())]
    CredsOpen {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// The credentials cannot be read.
    #[error("{} is not a file of credentials", .path.display())]
    BadCreds {
        /// The file.
        path: PathBuf,
    },
    /// There is no load of this run that could be taken up.
    #[error("there is no load of run {run} to be taken up")]
    NothingToResume {
        /// The run.
        run: String,
    },
    /// The load of the run was another one.
    #[error("the load of run {run} was started with other arguments")]
    OtherLoad {
        /// The run.
        run: String,
    },
    /// There is no NATS server that could be started.
    #[error("nats-server is not installed")]
    NoNatsServer,
    /// A program that was started for the run does not run.
    #[error("{program} does not start: {said}")]
    NotStarted {
        /// The program.
        program: String,
        /// What it or the system said.
        said: String,
    },
    /// An agent elsewhere would have to load a server that only this machine reaches.
    #[error(
        "agent {agent} is on another machine, and cannot reach the server at {target}, which is the loopback of this one"
    )]
    OnlyLoopback {
        /// The agent.
        agent: String,
        /// The server.
        target: String,
    },
    /// The hosts do not tell at which address they reach this machine, or at different ones.
    #[error(
        "it is not known at which address of this machine all hosts of the fleet reach it (seen: {seen})"
    )]
    NoCommonAddress {
        /// The addresses by which hosts see this machine.
        seen: String,
    },
    /// The system does not give what is needed to talk to a NATS server.
    #[error("cannot prepare for a connection")]
    System(#[from] std::io::Error),
}

impl From<AgentRefusal> for Refusal {
    fn from(refusal: AgentRefusal) -> Self {
        match refusal {
            AgentRefusal::Target(target) => Self::Target(target),
            AgentRefusal::TooLate => Self::TooLate,
            AgentRefusal::Busy => Self::Busy,
            AgentRefusal::Plan(said) => Self::Plan(said),
        }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Target(target) => write!(f, "{target} is not on its --allow list"),
            Self::TooLate => f.write_str("it was told too late to begin"),
            Self::Busy => f.write_str("it has another load"),
            Self::Plan(said) => f.write_str(said),
        }
    }
}

impl Error {
    /// What can be done about it.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::TooSmall { .. } => "ask for fewer agents, or for more load",
            Self::InStages => {
                "leave out groups that run before or after the others, and groups that run one after the other; or use one agent"
            }
            Self::NotAuthorized { .. } => "give the file with user and password with --creds",
            Self::NoServer { .. } => "is nats-server running there, and is the port open?",
            Self::TooFewAgents { .. } => {
                "start more with: prony agent --nats URL; of hosts in [fleet], does a firewall keep them from this machine?"
            }
            Self::OtherVersion { .. } => "install the same version of prony on all machines",
            Self::Refused {
                refusal: Refusal::Target(_),
                ..
            } => "start the agent with --allow HOST:PORT",
            Self::Refused {
                refusal: Refusal::TooLate,
                ..
            } => "is the network slow, or was a clock set?",
            Self::BadId { .. } => "use at most 64 letters, digits, - and _",
            Self::CredsOpen { .. } => "run chmod 600 on it",
            Self::BadCreds { .. } => "write user = \"…\" and password = \"…\", one a line",
            Self::PlanTooLarge { .. } => "use smaller bodies or fewer requests",
            Self::NotPermitted { .. } => "docs/guide/fleet.md shows the permissions that are needed",
            Self::NothingToResume { .. } => "a load that has ended is in `prony history`",
            Self::OtherLoad { .. } => "repeat its command line, and add --resume",
            Self::NoNatsServer => {
                "install it (in Debian: apt-get install nats-server), or give the address of one that runs"
            }
            Self::OnlyLoopback { .. } => {
                "write listen = \"ADDRESS\" into [fleet]: the address of this machine at which agents reach its servers"
            }
            Self::NoCommonAddress { .. } => {
                "write listen = \"ADDRESS\" into [fleet]: the address of this machine at which all of them reach it"
            }
            Self::NotStarted { .. }
            | Self::NoAnswer { .. }
            | Self::File { .. }
            | Self::System(_)
            | Self::Refused { .. } => {
                return None;
            }
        };
        Some(hint.to_owned())
    }
}
