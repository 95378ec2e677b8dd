//! [`GrpcCall`]: a call of a method of gRPC, ready to send; [`GrpcStatus`]: how a call has ended.

use model::units::Nanos;
use say::Say;
use serde::{Deserialize, Serialize};

/// The bytes before each message: whether it is compressed, and its length as 32 bits (big-endian).
pub const MESSAGE_PREFIX: usize = 5;
/// The most digits of a `grpc-timeout`.
const MOST_DIGITS: u32 = 8;

/// A call of a method of gRPC, ready to send. The path of its request names the method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrpcCall {
    /// The body of the request: its one message behind the prefix.
    pub body: Vec<u8>,
    /// What a right answer to it is.
    pub expected: GrpcExpected,
}

/// What a right answer of gRPC is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrpcExpected {
    /// The status with which it ends.
    pub status: GrpcStatus,
    /// How long the server may take, as it is told by `grpc-timeout`; the stream is cancelled then.
    pub deadline: Option<Nanos>,
}

/// The status of a call, in the order of its numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[repr(u8)]
pub enum GrpcStatus {
    #[default]
    Ok,
    Cancelled,
    Unknown,
    InvalidArgument,
    DeadlineExceeded,
    NotFound,
    AlreadyExists,
    PermissionDenied,
    ResourceExhausted,
    FailedPrecondition,
    Aborted,
    OutOfRange,
    Unimplemented,
    Internal,
    Unavailable,
    DataLoss,
    Unauthenticated,
}

impl GrpcStatus {
    /// Every status, in the order of its numbers.
    pub const ALL: [Self; 17] = [
        Self::Ok,
        Self::Cancelled,
        Self::Unknown,
        Self::InvalidArgument,
        Self::DeadlineExceeded,
        Self::NotFound,
        Self::AlreadyExists,
        Self::PermissionDenied,
        Self::ResourceExhausted,
        Self::FailedPrecondition,
        Self::Aborted,
        Self::OutOfRange,
        Self::Unimplemented,
        Self::Internal,
        Self::Unavailable,
        Self::DataLoss,
        Self::Unauthenticated,
    ];

    /// The number on the wire.
    pub const fn number(self) -> u32 {
        self as u32
    }

    /// The name in the standard, which files and flags have, too.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "OK",
            Self::Cancelled => "CANCELLED",
            Self::Unknown => "UNKNOWN",
            Self::InvalidArgument => "INVALID_ARGUMENT",
            Self::DeadlineExceeded => "DEADLINE_EXCEEDED",
            Self::NotFound => "NOT_FOUND",
            Self::AlreadyExists => "ALREADY_EXISTS",
            Self::PermissionDenied => "PERMISSION_DENIED",
            Self::ResourceExhausted => "RESOURCE_EXHAUSTED",
            Self::FailedPrecondition => "FAILED_PRECONDITION",
            Self::Aborted => "ABORTED",
            Self::OutOfRange => "OUT_OF_RANGE",
            Self::Unimplemented => "UNIMPLEMENTED",
            Self::Internal => "INTERNAL",
            Self::Unavailable => "UNAVAILABLE",
            Self::DataLoss => "DATA_LOSS",
            Self::Unauthenticated => "UNAUTHENTICATED",
        }
    }

    /// The status with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

/// What is wrong with the bytes of an answer of gRPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say, Serialize, Deserialize)]
pub enum GrpcFlaw {
    #[say(
        en = "a message of the answer is compressed, which the request does not allow",
        zh = "应答中有经过压缩的消息，而请求并不允许压缩"
    )]
    Compressed,
    #[say(
        en = "a message of the answer begins with the byte {0} and not with 0, so that it is no message of gRPC",
        zh = "应答中有消息以字节 {0} 而不是 0 开头，不是 gRPC 消息"
    )]
    Prefix(u8),
    #[say(en = "the answer ends within a message", zh = "应答在消息中途结束")]
    Cut,
    #[say(
        en = "the answer has {0} {0|message|messages}, and the method answers with one",
        zh = "应答有 {0} 条消息，而该方法只应答一条"
    )]
    Messages(u64),
    #[say(en = "the answer ends without `grpc-status`", zh = "应答结束时没有 `grpc-status`")]
    NoStatus,
}

/// Returns the number of a status with its name, if it has one: `14 UNAVAILABLE`.
pub fn named_status(number: u32) -> String {
    let known = GrpcStatus::ALL.into_iter().find(|status| status.number() == number);
    known.map_or_else(|| number.to_string(), |status| format!("{number} {}", status.name()))
}

/// Returns a message behind its prefix, not compressed.
pub fn prefixed(message: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(MESSAGE_PREFIX + message.len());
    bytes.push(0);
    bytes.extend_from_slice(&(message.len() as u32).to_be_bytes());
    bytes.extend_from_slice(message);
    bytes
}

/// Returns a deadline as `grpc-timeout` has it: a number of at most eight digits and a unit, the largest unit in which it is whole.
/// Where there is none, it is rounded up.
pub fn timeout_value(deadline: Nanos) -> String {
    const UNITS: [(u64, char); 6] = [
        (1, 'n'),
        (1_000, 'u'),
        (1_000_000, 'm'),
        (1_000_000_000, 'S'),
        (60_000_000_000, 'M'),
        (3_600_000_000_000, 'H'),
    ];
    let in_unit = |(unit, letter): (u64, char)| (deadline.0.div_ceil(unit), letter);
    let fits = |(count, _): &(u64, char)| *count < 10_u64.pow(MOST_DIGITS);
    let whole =
        UNITS.into_iter().rev().filter(|(unit, _)| deadline.0 > 0 && deadline.0.is_multiple_of(*unit));
    let (count, letter) = whole
        .map(in_unit)
        .find(fits)
        .or_else(|| UNITS.into_iter().map(in_unit).find(fits))
        .unwrap_or((10_u64.pow(MOST_DIGITS) - 1, 'H'));
    format!("{count}{letter}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_status_has_the_number_and_the_name_of_the_standard() {
        for (number, status) in GrpcStatus::ALL.into_iter().enumerate() {
            assert_eq!(status.number() as usize, number);
            assert_eq!(GrpcStatus::from_name(status.name()), Some(status));
            assert_eq!(serde_json::to_string(&status).unwrap(), format!("\"{}\"", status.name()));
        }
        assert_eq!((named_status(14).as_str(), named_status(99).as_str()), ("14 UNAVAILABLE", "99"));
        assert_eq!(GrpcStatus::from_name("Ok"), None);
    }

    #[test]
    fn a_deadline_has_at_most_eight_digits() {
        for (nanos, expected) in [
            (0, "0n"),
            (1, "1n"),
            (500_000_000, "500m"),
            (5_000_000_000, "5S"),
            (90_000_000_000, "90S"),
            (60_000_000_000, "1M"),
            (1_500_000, "1500u"),
            // In microseconds it would have nine digits.
            (123_456_789_012, "123457m"),
        ] {
            assert_eq!(timeout_value(Nanos(nanos)), expected);
        }
    }

    #[test]
    fn a_message_has_a_prefix_with_its_length() {
        assert_eq!(prefixed(b""), [0; 5]);
        assert_eq!(prefixed(b"abc"), [0, 0, 0, 0, 3, b'a', b'b', b'c']);
    }
}
