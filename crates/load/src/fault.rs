//! [`Fault`]: what went wrong with one request, a byte; [`Faults`]: how often.

use rustix::io::Errno;

/// What went wrong with one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Fault {
    /// Nobody listens there.
    ConnectRefused,
    /// No connection within the time allowed.
    ConnectTimeout,
    /// No connection for another reason: unreachable, reset while connecting.
    ConnectFailed,
    /// No local port was left for another connection: the generator's limit, not the server's.
    PortsExhausted,
    /// No file descriptor was left for another connection: the generator's limit, not the server's.
    DescriptorsExhausted,
    /// The connection was reset before the response was complete.
    Reset,
    /// The connection was closed before the response was complete.
    ClosedEarly,
    /// No complete response within the time allowed.
    ResponseTimeout,
    /// What came was not HTTP, or went past a bound.
    Malformed,
    /// A well-formed response with another status than expected.
    WrongStatus,
    /// A well-formed response with another body than expected.
    WrongBody,
    /// A well-formed response with another status and another length of its body than expected.
    WrongStatusAndBody,
    /// The TLS handshake or a record failed.
    Tls,
}

impl Fault {
    /// Every kind, in the order of reports.
    pub const ALL: [Self; 13] = [
        Self::ConnectRefused,
        Self::ConnectTimeout,
        Self::ConnectFailed,
        Self::PortsExhausted,
        Self::DescriptorsExhausted,
        Self::Reset,
        Self::ClosedEarly,
        Self::ResponseTimeout,
        Self::Malformed,
        Self::WrongStatus,
        Self::WrongBody,
        Self::WrongStatusAndBody,
        Self::Tls,
    ];

    /// Whether a whole answer came, and only was not the right one.
    pub const fn is_answer(self) -> bool {
        matches!(
            self,
            Self::WrongStatus | Self::WrongBody | Self::WrongStatusAndBody
        )
    }

    /// The name in reports and files.
    pub const fn id(self) -> &'static str {
        match self {
            Self::ConnectRefused => "connect_refused",
            Self::ConnectTimeout => "connect_timeout",
            Self::ConnectFailed => "connect_failed",
            Self::PortsExhausted => "ports_exhausted",
            Self::DescriptorsExhausted => "descriptors_exhausted",
            Self::Reset => "reset",
            Self::ClosedEarly => "closed_early",
            Self::ResponseTimeout => "response_timeout",
            Self::Malformed => "malformed",
            Self::WrongStatus => "wrong_status",
            Self::WrongBody => "wrong_body",
            Self::WrongStatusAndBody => "wrong_status_and_body",
            Self::Tls => "tls",
        }
    }

    /// The fault behind a failed connect.
    pub(crate) fn connecting(errno: Errno) -> Self {
        match errno {
            Errno::CONNREFUSED | Errno::NOENT => Self::ConnectRefused,
            Errno::TIMEDOUT => Self::ConnectTimeout,
            Errno::ADDRNOTAVAIL => Self::PortsExhausted,
            Errno::MFILE | Errno::NFILE => Self::DescriptorsExhausted,
            _ => Self::ConnectFailed,
        }
    }
}

/// How many faults of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults([u64; Fault::ALL.len()]);

impl Faults {
    /// One more of that kind.
    pub fn add(&mut self, fault: Fault) {
        self.0[fault as usize] += 1;
    }

    /// How many of that kind.
    pub const fn count(&self, fault: Fault) -> u64 {
        self.0[fault as usize]
    }

    /// How many of all kinds.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The kinds that occurred.
    pub fn iter(&self) -> impl Iterator<Item = (Fault, u64)> + '_ {
        Fault::ALL.into_iter().zip(self.0).filter(|&(_, count)| count > 0)
    }

    /// Adds another shard's or slice's.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += theirs;
        }
    }
}
