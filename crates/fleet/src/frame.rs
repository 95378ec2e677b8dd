//! The frame of every message: its kind, a JSON value, and binary parts. [`decode`] checks every length before it reads.
//!
//! ```text
//! "PRNY" · version u16 · length u8 and run · length u32 and JSON · number u16 of parts · for each: length u32 and bytes
//! ```
//! All numbers are big-endian.

use say::Say;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The version of the protocol. Agents and coordinators of different versions do not work together.
pub const VERSION: u16 = 12;
/// The most bytes of a frame: a NATS server refuses messages of more than 1 MiB by default.
pub const MAX_FRAME: usize = 1_000_000;
/// How every frame begins.
const MAGIC: &[u8; 4] = b"PRNY";

/// Why a message is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub enum Refused {
    /// It is longer than [`MAX_FRAME`].
    #[say(en = "it is too long", zh = "过长")]
    Oversize,
    /// It is not a frame, or does not contain what it should.
    #[say(en = "it is not one of prony's", zh = "不是 prony 的消息")]
    Garbage,
    /// It has another version of the protocol.
    #[say(en = "it has version {0}", zh = "版本为 {0}")]
    Version(u16),
    /// It belongs to another run.
    #[say(en = "it belongs to another run", zh = "属于另一次运行")]
    Run,
    /// It repeats the number of another message with other content, or comes from an agent that has no share.
    #[say(en = "it was replayed", zh = "是重放的消息")]
    Replayed,
}

/// How many messages were refused, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RefusedCounts {
    /// Too long.
    pub oversize: u64,
    /// Not a frame.
    pub garbage: u64,
    /// Messages of another protocol version.
    pub version: u64,
    /// Messages of another run.
    pub run: u64,
    /// Messages that had come before.
    pub replayed: u64,
}

impl RefusedCounts {
    /// Counts one.
    pub const fn add(&mut self, refused: Refused) {
        match refused {
            Refused::Oversize => self.oversize += 1,
            Refused::Garbage => self.garbage += 1,
            Refused::Version(_) => self.version += 1,
            Refused::Run => self.run += 1,
            Refused::Replayed => self.replayed += 1,
        }
    }

    /// All of them.
    pub const fn total(&self) -> u64 {
        self.oversize + self.garbage + self.version + self.run + self.replayed
    }
}

/// Returns the frame of a value and its binary parts. The run is cut to 255 bytes, and no more than 65 535 parts are sent.
pub fn encode<T: Serialize>(run: &str, value: &T, parts: &[Vec<u8>]) -> Vec<u8> {
    let json = serde_json::to_vec(value).expect("messages have no maps with keys that are not text");
    let mut bytes =
        Vec::with_capacity(64 + json.len() + parts.iter().map(|part| part.len() + 4).sum::<usize>());
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_be_bytes());
    let run = &run.as_bytes()[..run.len().min(255)];
    bytes.push(run.len() as u8);
    bytes.extend_from_slice(run);
    bytes.extend_from_slice(&(json.len() as u32).to_be_bytes());
    bytes.extend_from_slice(&json);
    let parts = &parts[..parts.len().min(usize::from(u16::MAX))];
    bytes.extend_from_slice(&(parts.len() as u16).to_be_bytes());
    for part in parts {
        bytes.extend_from_slice(&(part.len() as u32).to_be_bytes());
        bytes.extend_from_slice(part);
    }
    bytes
}

/// Returns the value of a frame of this run, and its binary parts.
///
/// # Errors
///
/// A [`Refused`] for everything that is not exactly such a frame.
pub fn decode<'a, T: DeserializeOwned>(run: &str, bytes: &'a [u8]) -> Result<(T, Vec<&'a [u8]>), Refused> {
    decode_within(MAX_FRAME, run, bytes)
}

/// Like [`decode`], for a frame of at most so many bytes.
pub(crate) fn decode_within<'a, T: DeserializeOwned>(
    most: usize,
    run: &str,
    bytes: &'a [u8],
) -> Result<(T, Vec<&'a [u8]>), Refused> {
    if bytes.len() > most {
        return Err(Refused::Oversize);
    }
    let mut rest = Rest(bytes);
    if rest.take(4)? != MAGIC {
        return Err(Refused::Garbage);
    }
    match rest.number::<2>()? as u16 {
        VERSION => {}
        other => return Err(Refused::Version(other)),
    }
    let length = rest.number::<1>()?;
    if rest.take(length)? != run.as_bytes() {
        return Err(Refused::Run);
    }
    let length = rest.number::<4>()?;
    let value = serde_json::from_slice(rest.take(length)?).map_err(|_| Refused::Garbage)?;
    let mut parts = Vec::new();
    for _ in 0..rest.number::<2>()? {
        let length = rest.number::<4>()?;
        parts.push(rest.take(length)?);
    }
    if rest.0.is_empty() { Ok((value, parts)) } else { Err(Refused::Garbage) }
}

/// The bytes of a frame that are not read yet.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    /// Takes so many bytes, if there are as many.
    fn take(&mut self, length: usize) -> Result<&'a [u8], Refused> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(Refused::Garbage)?;
        self.0 = rest;
        Ok(taken)
    }

    /// Takes a number of at most four bytes.
    fn number<const BYTES: usize>(&mut self) -> Result<usize, Refused> {
        let taken = self.take(BYTES)?;
        Ok(taken.iter().fold(0, |number, &byte| number << 8 | usize::from(byte)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Value = (String, u64);

    fn refused(bytes: &[u8]) -> Refused {
        decode::<Value>("run", bytes).unwrap_err()
    }

    proptest! {
        #[test]
        fn what_was_encoded_is_decoded(text in ".*", number: u64, parts: Vec<Vec<u8>>) {
            let bytes = encode("run", &(&text, number), &parts);
            let (value, read) = decode::<Value>("run", &bytes).unwrap();
            prop_assert_eq!(value, (text, number));
            prop_assert_eq!(read, parts);
        }

        #[test]
        fn arbitrary_bytes_are_refused(bytes: Vec<u8>) {
            prop_assert!(decode::<Value>("run", &bytes).is_err());
        }

        #[test]
        fn a_changed_frame_is_refused_or_decoded_but_never_read_beyond_its_end(at in 0_usize..60, byte: u8, cut in 0_usize..60) {
            let mut bytes = encode("run", &("text", 7), &[vec![1, 2, 3], Vec::new()]);
            let cut = cut.min(bytes.len() - 1);
            prop_assert!(decode::<Value>("run", &bytes[..cut]).is_err());
            let at = at % bytes.len();
            bytes[at] = byte;
            let _ = decode::<Value>("run", &bytes);
            // A frame that now claims fewer parts, and is cut behind them, is a whole frame again.
            if let Ok((value, parts)) = decode::<Value>("run", &bytes[..cut]) {
                let parts: Vec<Vec<u8>> = parts.into_iter().map(<[u8]>::to_vec).collect();
                prop_assert_eq!(encode("run", &value, &parts), &bytes[..cut]);
            }
        }
    }

    #[test]
    fn each_kind_of_stranger_is_named() {
        let good = encode("run", &("text", 7), &[]);
        let mut old = good.clone();
        old[5] = 9;
        assert_eq!(refused(&old), Refused::Version(9));
        assert_eq!(refused(&encode("other", &("text", 7), &[])), Refused::Run);
        assert_eq!(refused(&vec![0; MAX_FRAME + 1]), Refused::Oversize);
        assert_eq!(refused(&[good, vec![0]].concat()), Refused::Garbage);
        let mut counts = RefusedCounts::default();
        counts.add(Refused::Run);
        counts.add(Refused::Oversize);
        assert_eq!((counts.run, counts.oversize, counts.total()), (1, 1, 2));
    }
}
