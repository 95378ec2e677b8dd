//! What can go wrong before or around the load. What goes wrong with a request is a [`Fault`](crate::Fault).

/// Why a session could not be opened or a slice not be run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A plan that asks for nothing.
    #[error("the plan has no {0}")]
    EmptyPlan(&'static str),
    /// Weights that choose nothing.
    #[error("there must be as many weights as requests, and one above zero")]
    BadWeights,
    /// Pipelining where a connection is not one user's.
    #[error("pipelining needs users, not a rate, each with a connection that it keeps")]
    BadPipeline,
    /// A rate of zero, below, or beyond counting.
    #[error("{0} per second is not a rate")]
    BadRate(f64),
    /// Every connection needs a descriptor.
    #[error("{connections} connections need as many file descriptors, the limit is {limit}")]
    Descriptors {
        /// Connections asked for.
        connections: usize,
        /// Descriptors this process may have.
        limit: u64,
    },
    /// The system refused something that it never should.
    #[error("cannot {action}")]
    System {
        /// What was tried.
        action: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
    /// A URL that cannot be loaded.
    #[error("`{url}` is not a URL: {reason}")]
    BadUrl {
        /// As it was given.
        url: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A host name without an address.
    #[error("cannot resolve `{host}`")]
    Resolve {
        /// The name.
        host: String,
        /// What the resolver said.
        source: std::io::Error,
    },
    /// TLS cannot be set up.
    #[error("cannot set up TLS: {0}")]
    BadTls(String),
    /// A method or header that would break the framing of the request.
    #[error("`{0}` cannot be sent in a request")]
    BadRequest(String),
}

impl Error {
    /// Wraps a system error; `action` completes "cannot ...".
    pub(crate) fn system(action: &'static str) -> impl FnOnce(rustix::io::Errno) -> Self {
        move |errno| Self::System {
            action,
            source: errno.into(),
        }
    }
}
