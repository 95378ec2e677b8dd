//! Errors that keep a load from running. What goes wrong with a single request is a [`Fault`](crate::Fault).

/// The reason why a session could not be opened or a slice could not be run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The plan would send nothing; the text names what it lacks.
    #[error("the plan has no {0}")]
    EmptyPlan(PlanPart),
    /// The weights of the requests do not fit the requests, or all of them are 0.
    #[error("there must be as many weights as requests, and one above zero")]
    BadWeights,
    /// The plan pipelines requests although its users do not keep a connection each.
    #[error("pipelining needs users, not a rate, each with a connection that it keeps")]
    BadPipeline,
    /// A rate is not positive or exceeds 10^9 per second.
    #[error("{0} per second is not a rate")]
    BadRate(f64),
    /// The plan has more connections than the process may have file descriptors.
    #[error("{connections} connections need as many file descriptors, the limit is {limit}")]
    Descriptors {
        /// Connections of the plan.
        connections: usize,
        /// The hard limit of file descriptors of this process.
        limit: u64,
    },
    /// Users need rows of data that no other user has, and there are more users than rows.
    #[error("{users} users need a row of `{file}` each, and it has {rows}")]
    TooFewRows {
        /// The file.
        file: String,
        /// Its rows.
        rows: u64,
        /// The users on all machines.
        users: u64,
    },
    /// Sessions need a connection for each user.
    #[error("users who play sessions do not share connections and do not pipeline")]
    SessionsShare,
    /// A system call failed that should not fail.
    #[error("cannot {act}")]
    System {
        /// What was tried.
        act: Act,
        /// The system's error.
        source: std::io::Error,
    },
    /// A URL that cannot be loaded.
    #[error(transparent)]
    BadUrl(#[from] model::url::BadUrl),
    /// A host name has no address.
    #[error("cannot resolve `{host}`")]
    Resolve {
        /// The host name.
        host: String,
        /// The resolver's error.
        source: std::io::Error,
    },
    /// TLS cannot be set up.
    #[error("cannot set up TLS: {0}")]
    BadTls(TlsFlaw),
    /// A method, path or header would break the framing of the request.
    #[error("`{0}` cannot be sent in a request")]
    BadRequest(String),
}

/// A part without which a plan asks for nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanPart {
    /// Event loops that send.
    #[error("shards")]
    Shards,
    /// Requests to send.
    #[error("requests")]
    Requests,
    /// Connections to send them on.
    #[error("connections")]
    Connections,
    /// A rate that is above zero at some time.
    #[error("rate")]
    Rate,
}

/// What the system refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Act {
    /// Raise the limit of open files of this process.
    #[error("raise the limit of file descriptors")]
    RaiseDescriptors,
    /// Create what an event loop waits on.
    #[error("create an epoll instance")]
    CreateEpoll,
    /// Wait for events of connections.
    #[error("wait for events")]
    WaitForEvents,
}

impl Error {
    /// What to do about it, where anything can be said.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Resolve { .. } => {
                Some("is the host's name right, and can this machine look it up?".to_owned())
            }
            _ => None,
        }
    }

    /// Wraps a system error; `act` is what was tried.
    pub(crate) fn system(act: Act) -> impl FnOnce(rustix::io::Errno) -> Self {
        move |errno| Self::System {
            act,
            source: errno.into(),
        }
    }
}

/// What is wrong with the TLS settings of a plan. The library's own texts are English in every language.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TlsFlaw {
    /// The text is neither a host name nor an address, so no certificate can have it.
    #[error("`{0}` is not the name of a server")]
    ServerName(String),
    /// The library cannot begin a handshake.
    #[error("no handshake can be begun")]
    NoHandshake,
    /// The library refuses its own settings.
    #[error("{0}")]
    Library(String),
    /// The file of CA certificates cannot be read as PEM.
    #[error("not a CA file: {0}")]
    NotACaFile(String),
    /// The file of CA certificates contains none that the library accepts.
    #[error("there is no CA certificate to verify the server by")]
    NoCaCertificate,
}
