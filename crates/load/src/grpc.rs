//! [`GrpcReply`]: what is known of an answer of gRPC: where its messages end, and its status. It keeps no bytes of messages.

use crate::Fault;
use crate::users::masked_text;
use model::units::Nanos;
use percent_encoding::percent_decode;
use std::borrow::Cow;
use traffic::grpc::{GrpcExpected, GrpcFlaw, GrpcStatus, MESSAGE_PREFIX};
use traffic::scenario::StepFailure;

/// An answer of gRPC that is being received.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GrpcReply {
    /// The bytes so far of the prefix of the present message.
    prefix: [u8; MESSAGE_PREFIX],
    /// How many of them have come; 0 between two messages.
    known: usize,
    /// Bytes of the present message that are missing behind its prefix.
    left: usize,
    /// What was wrong with a message. The bytes behind it mean nothing.
    flaw: Option<GrpcFlaw>,
    /// The status, once it has come.
    status: Option<u32>,
}

/// What is wrong with a complete answer of gRPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WrongGrpc {
    Flaw(GrpcFlaw),
    /// Its status is another one than expected.
    Status(u32),
}

impl GrpcReply {
    /// Takes bytes of the body. Returns the number of messages that end with them.
    pub(crate) fn take(&mut self, mut bytes: &[u8]) -> u64 {
        let mut messages = 0;
        while !bytes.is_empty() && self.flaw.is_none() {
            if self.known < MESSAGE_PREFIX {
                let taken = (MESSAGE_PREFIX - self.known).min(bytes.len());
                self.prefix[self.known..self.known + taken].copy_from_slice(&bytes[..taken]);
                self.known += taken;
                bytes = &bytes[taken..];
                if self.known < MESSAGE_PREFIX || !self.begin_message() {
                    break;
                }
            }
            let taken = self.left.min(bytes.len());
            self.left -= taken;
            bytes = &bytes[taken..];
            if self.left == 0 {
                messages += 1;
                self.known = 0;
            }
        }
        messages
    }

    /// Reads the prefix of a message. Returns whether the message can be read.
    fn begin_message(&mut self) -> bool {
        let [flag, a, b, c, d] = self.prefix;
        self.left = u32::from_be_bytes([a, b, c, d]) as usize;
        self.flaw = match flag {
            0 => None,
            1 => Some(GrpcFlaw::Compressed),
            other => Some(GrpcFlaw::Prefix(other)),
        };
        self.flaw.is_none()
    }

    /// Reads the status from the trailers, or from the head of an answer that has nothing else.
    pub(crate) fn read_status(&mut self, fields: &[u8]) {
        // A status that is no number is UNKNOWN.
        let number = |text: &[u8]| std::str::from_utf8(text).ok().and_then(|text| text.parse::<u32>().ok());
        self.status = field(fields, b"grpc-status")
            .map(|text| number(text).unwrap_or_else(|| GrpcStatus::Unknown.number()));
    }

    /// Whether a message cannot be read, so that nothing is awaited any more.
    pub(crate) const fn is_broken(&self) -> bool {
        self.flaw.is_some()
    }

    /// What is wrong with the answer, which has ended after so many messages.
    pub(crate) fn wrong(&self, expected: GrpcExpected, is_stream: bool, messages: u64) -> Option<WrongGrpc> {
        let status = match (self.flaw, self.status) {
            (Some(flaw), _) => return Some(WrongGrpc::Flaw(flaw)),
            (None, None) => return Some(WrongGrpc::Flaw(GrpcFlaw::NoStatus)),
            (None, Some(status)) => status,
        };
        if status != expected.status.number() {
            return Some(WrongGrpc::Status(status));
        }
        // Which messages come before an error is not said.
        let flaw = match expected.status {
            GrpcStatus::Ok if self.known > 0 => GrpcFlaw::Cut,
            GrpcStatus::Ok if !is_stream && messages != 1 => GrpcFlaw::Messages(messages),
            _ => return None,
        };
        Some(WrongGrpc::Flaw(flaw))
    }
}

impl WrongGrpc {
    /// The fault under which it is counted.
    pub(crate) const fn fault(self) -> Fault {
        match self {
            Self::Status(_) | Self::Flaw(GrpcFlaw::NoStatus) => Fault::WrongGrpcStatus,
            Self::Flaw(_) => Fault::WrongBody,
        }
    }

    /// What is told about it; `fields` are those that came last, which may have a message about the status.
    pub(crate) fn failure(self, fields: &[u8]) -> StepFailure {
        match self {
            Self::Flaw(flaw) => StepFailure::Grpc(flaw),
            Self::Status(status) => {
                let decoded = |text| masked_text(&Cow::from(percent_decode(text)));
                let message = field(fields, b"grpc-message").map(decoded);
                StepFailure::GrpcStatus { status, message: message.filter(|text| !text.is_empty()) }
            }
        }
    }
}

/// The fault of a call that ended so long after it was sent. A server that watches the deadline gives the call up at the same time as prony, by a
/// status of its choice or a reset, and may be seen to do so first; the clients of gRPC tell of the deadline then, too.
pub(crate) fn fault_at_deadline(fault: Fault, deadline: Option<Nanos>, taken: Nanos) -> Fault {
    let is_given_up = matches!(fault, Fault::WrongGrpcStatus | Fault::StreamReset);
    match deadline {
        Some(deadline) if is_given_up && taken >= deadline => Fault::ResponseTimeout,
        _ => fault,
    }
}

/// The value of a field in a head or in trailers of HTTP/2, as HTTP/1 would write them; its name has small letters.
fn field<'a>(fields: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let mut lines = fields.split(|&byte| byte == b'\n');
    lines.find_map(|line| Some(line.strip_prefix(name)?.strip_prefix(b":")?.trim_ascii()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use traffic::grpc::prefixed;

    const OK: GrpcExpected = GrpcExpected { status: GrpcStatus::Ok, deadline: None };

    /// An answer whose body comes in these pieces, with the number of its messages.
    fn received(pieces: &[&[u8]]) -> (GrpcReply, u64) {
        let mut reply = GrpcReply::default();
        let messages = pieces.iter().map(|piece| reply.take(piece)).sum();
        (reply, messages)
    }

    fn wrong(body: &[u8], trailers: &str, expected: GrpcExpected, is_stream: bool) -> Option<WrongGrpc> {
        let (mut reply, messages) = received(&[body]);
        reply.read_status(trailers.as_bytes());
        reply.wrong(expected, is_stream, messages)
    }

    #[test]
    fn messages_end_where_their_prefix_says_wherever_they_are_split() {
        let body = [prefixed(b"first"), prefixed(b""), prefixed(&[7; 300])].concat();
        for split in 0..=body.len() {
            let (first, second) = body.split_at(split);
            let (reply, messages) = received(&[first, second]);
            assert_eq!((messages, reply.known, reply.is_broken()), (3, 0, false), "split at {split}");
        }
        let bytes: Vec<&[u8]> = body.chunks(1).collect();
        assert_eq!(received(&bytes).1, 3);
    }

    #[test]
    fn a_right_unary_answer_has_one_message_and_the_expected_status() {
        let one = prefixed(b"hello");
        let flaw = |flaw| Some(WrongGrpc::Flaw(flaw));
        assert_eq!(wrong(&one, "grpc-status: 0\r\n\r\n", OK, false), None);
        assert_eq!(wrong(&[], "grpc-status: 0\r\n\r\n", OK, false), flaw(GrpcFlaw::Messages(0)));
        let two = one.repeat(2);
        assert_eq!(wrong(&two, "grpc-status: 0\r\n\r\n", OK, false), flaw(GrpcFlaw::Messages(2)));
        assert_eq!(wrong(&two, "grpc-status: 0\r\n\r\n", OK, true), None);
        assert_eq!(wrong(&one[..7], "grpc-status: 0\r\n\r\n", OK, false), flaw(GrpcFlaw::Cut));
        assert_eq!(wrong(&one, "x: y\r\n\r\n", OK, false), flaw(GrpcFlaw::NoStatus));
        assert_eq!(wrong(&one, "grpc-status: 5\r\n\r\n", OK, false), Some(WrongGrpc::Status(5)));
        assert_eq!(wrong(&one, "grpc-status: none\r\n\r\n", OK, false), Some(WrongGrpc::Status(2)));
        let expected = GrpcExpected { status: GrpcStatus::NotFound, ..OK };
        assert_eq!(wrong(&[], "grpc-status: 5\r\n\r\n", expected, false), None);
        assert_eq!(wrong(&one, "grpc-status: 0\r\n\r\n", expected, false), Some(WrongGrpc::Status(0)));
    }

    #[test]
    fn compressed_messages_and_what_is_no_message_are_told_apart() {
        let with_flag = |flag| [&[flag, 0, 0, 0, 1][..], b"x"].concat();
        let status = "grpc-status: 0\r\n\r\n";
        for (flag, flaw) in [(1, GrpcFlaw::Compressed), (60, GrpcFlaw::Prefix(60))] {
            let found = wrong(&with_flag(flag), status, OK, false).expect("a flaw");
            assert_eq!((found, found.fault()), (WrongGrpc::Flaw(flaw), Fault::WrongBody));
            assert_eq!(found.failure(b""), StepFailure::Grpc(flaw));
        }
        assert_eq!(WrongGrpc::Flaw(GrpcFlaw::NoStatus).fault(), Fault::WrongGrpcStatus);
    }

    #[test]
    fn a_status_is_told_with_the_message_of_the_server() {
        let failure = |fields: &str| WrongGrpc::Status(14).failure(fields.as_bytes());
        let expected = |message: Option<&str>| StepFailure::GrpcStatus {
            status: 14,
            message: message.map(str::to_owned),
        };
        let fields = "grpc-status: 14\r\ngrpc-message: pool%20is%20dry: 100%, %zz\r\n\r\n";
        assert_eq!(failure(fields), expected(Some("pool is dry: 100%, %zz")));
        assert_eq!(failure("grpc-status: 14\r\n\r\n"), expected(None));
        assert_eq!(failure("grpc-message: \r\n\r\n"), expected(None));
        assert_eq!(failure("grpc-message: token=abc\r\n\r\n"), expected(Some("token=***")));
    }

    #[test]
    fn what_a_server_says_at_the_deadline_is_that_it_has_passed() {
        let at = |fault, deadline, taken| fault_at_deadline(fault, deadline, Nanos::from_millis(taken));
        let deadline = Some(Nanos::from_millis(200));
        for given_up in [Fault::WrongGrpcStatus, Fault::StreamReset] {
            assert_eq!(at(given_up, deadline, 200), Fault::ResponseTimeout);
            assert_eq!(at(given_up, deadline, 199), given_up);
            assert_eq!(at(given_up, None, 900), given_up);
        }
        assert_eq!(at(Fault::WrongBody, deadline, 900), Fault::WrongBody);
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_the_same_however_they_are_split(
            body in proptest::collection::vec(0_u8..3, 0..60),
            split in 0_usize..60,
        ) {
            let (first, second) = body.split_at(split.min(body.len()));
            let (whole, messages) = received(&[&body]);
            let (halves, of_halves) = received(&[first, second]);
            prop_assert_eq!((messages, whole.flaw), (of_halves, halves.flaw));
        }
    }
}
