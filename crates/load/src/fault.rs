//! [`Fault`]: what went wrong with one request; [`Faults`]: how often each fault occurred.

use rustix::io::Errno;

/// What went wrong with one request. It is one byte, so that a failure costs the event loop no more than a success.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Fault {
    /// The connection was refused, because nobody listens at the address.
    ConnectRefused,
    /// The connection was not established within the plan's `connect_timeout`.
    ConnectTimeout,
    /// The connection failed for another reason, for instance because the host is unreachable.
    ConnectFailed,
    /// There was no local port for another connection, which is a limit of the generator's machine.
    PortsExhausted,
    /// There was no file descriptor for another connection, which is a limit of the generator's process.
    DescriptorsExhausted,
    /// The connection was reset before the response was complete.
    Reset,
    /// The connection was closed before the response was complete.
    ClosedEarly,
    /// The response was not complete within the plan's `response_timeout`.
    ResponseTimeout,
    /// The response was not HTTP, or it exceeded a limit of the codec.
    Malformed,
    /// The response was well-formed but had another status than expected.
    WrongStatus,
    /// The response was well-formed but had another body than expected.
    WrongBody,
    /// The response was well-formed, but its status and the length of its body were other than expected.
    WrongStatusAndBody,
    /// The TLS handshake or a TLS record failed.
    Tls,
    /// The response did not pass a check of its step: a header, a time, or where it was redirected to.
    FailedCheck,
    /// The response had nothing that a variable of its step could be taken from.
    NotExtracted,
    /// HTTP/2: the server reset the stream before the response was complete.
    StreamReset,
    /// HTTP/2: the server refused the stream, or ended its connection before it handled the request, twice.
    StreamRefused,
    /// HTTP/2 was asked for, and the server does not speak it.
    NotHttp2,
    /// A proxy refused to connect to the server, or did not answer as one.
    Proxy,
    /// An answer that streams had another number of events than expected.
    WrongEvents,
    /// A call of gRPC ended with another status than expected, or without any.
    WrongGrpcStatus,
    /// WebSocket was asked for, and the server refused the opening handshake or answered it wrongly.
    NotWebSocket,
    /// The server closed a connection of WebSocket while a message was awaited, or a message was to be sent and none was open.
    WebSocketClosed,
}

impl Fault {
    /// Every fault, in the order of reports.
    pub const ALL: [Self; 23] = [
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
        Self::FailedCheck,
        Self::NotExtracted,
        Self::StreamReset,
        Self::StreamRefused,
        Self::NotHttp2,
        Self::Proxy,
        Self::WrongEvents,
        Self::WrongGrpcStatus,
        Self::NotWebSocket,
        Self::WebSocketClosed,
    ];

    /// True when a complete response came that was not the expected one.
    pub const fn is_answer(self) -> bool {
        matches!(
            self,
            Self::WrongStatus
                | Self::WrongBody
                | Self::WrongStatusAndBody
                | Self::FailedCheck
                | Self::NotExtracted
                | Self::WrongEvents
                | Self::WrongGrpcStatus
        )
    }

    /// True when bytes came that were not the expected response: of another one, or of none at all.
    pub const fn is_reply(self) -> bool {
        self.is_answer() || matches!(self, Self::Malformed | Self::NotWebSocket)
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
            Self::FailedCheck => "failed_check",
            Self::NotExtracted => "not_extracted",
            Self::StreamReset => "stream_reset",
            Self::StreamRefused => "stream_refused",
            Self::NotHttp2 => "not_http2",
            Self::Proxy => "proxy",
            Self::WrongEvents => "wrong_events",
            Self::WrongGrpcStatus => "wrong_grpc_status",
            Self::NotWebSocket => "not_websocket",
            Self::WebSocketClosed => "websocket_closed",
        }
    }

    /// The fault for the error number of a failed connect.
    pub(crate) fn from_connect_error(errno: Errno) -> Self {
        match errno {
            Errno::CONNREFUSED | Errno::NOENT => Self::ConnectRefused,
            Errno::TIMEDOUT => Self::ConnectTimeout,
            Errno::ADDRNOTAVAIL => Self::PortsExhausted,
            Errno::MFILE | Errno::NFILE => Self::DescriptorsExhausted,
            _ => Self::ConnectFailed,
        }
    }
}

/// The number of faults of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults([u64; Fault::ALL.len()]);

impl Faults {
    /// Counts one fault.
    pub fn add(&mut self, fault: Fault) {
        self.0[fault as usize] += 1;
    }

    /// Counts so many faults of a kind.
    pub fn add_many(&mut self, fault: Fault, count: u64) {
        self.0[fault as usize] += count;
    }

    /// The number of faults of this kind.
    pub const fn count(&self, fault: Fault) -> u64 {
        self.0[fault as usize]
    }

    /// The number of faults of all kinds together.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The kinds that occurred with their numbers, in the order of reports.
    pub fn iter(&self) -> impl Iterator<Item = (Fault, u64)> + '_ {
        Fault::ALL.into_iter().zip(self.0).filter(|&(_, count)| count > 0)
    }

    /// Adds the counts of another shard or slice.
    pub fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += theirs;
        }
    }
}
