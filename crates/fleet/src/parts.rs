//! [`Assembly`]: a command that is too long for a message travels in parts, and is put together again.

use crate::frame::{MAX_FRAME, Refused, encode};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The most bytes of a command, however many parts it has.
pub(crate) const MAX_COMMAND: usize = 64 << 20;
/// Bytes of a part, so that its frame fits into a message.
const PART: usize = MAX_FRAME - 1_000;

/// What a part says of itself. Its bytes are the binary part of its frame, which belongs to no run: the command inside names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Part {
    /// SHA-256 of the whole command.
    hash: [u8; 32],
    /// Its number, from 0.
    number: usize,
    /// The number of parts.
    of: usize,
}

/// A command that is here in part.
#[derive(Debug, Default)]
pub(crate) struct Assembly {
    hash: [u8; 32],
    of: usize,
    /// The number of the next part.
    next: usize,
    bytes: Vec<u8>,
}

/// Returns the messages in which a command travels: itself if it fits, and otherwise its parts in order.
pub(crate) fn messages(command: Vec<u8>) -> Vec<Vec<u8>> {
    if command.len() <= MAX_FRAME {
        return vec![command];
    }
    let hash: [u8; 32] = Sha256::digest(&command).into();
    let of = command.len().div_ceil(PART);
    let part = |(number, bytes): (usize, &[u8])| encode("", &Part { hash, number, of }, &[bytes.to_vec()]);
    command.chunks(PART).enumerate().map(part).collect()
}

impl Assembly {
    /// Adds a part; returns the command when it is complete. The first part of another command ends this one. One that comes twice
    /// counts once.
    ///
    /// # Errors
    ///
    /// [`Refused::Oversize`] for a command that is too long, [`Refused::Garbage`] for a part that is not the next one or does not belong to it.
    pub(crate) fn add(&mut self, part: &Part, bytes: &[u8]) -> Result<Option<Vec<u8>>, Refused> {
        if part.of > MAX_COMMAND.div_ceil(PART) || bytes.len() > PART {
            return Err(Refused::Oversize);
        }
        let is_same = (part.hash, part.of) == (self.hash, self.of);
        if is_same && self.next.checked_sub(1) == Some(part.number) {
            return Ok(None);
        }
        if part.number == 0 {
            *self = Self { hash: part.hash, of: part.of, ..Self::default() };
        } else if !is_same || part.number != self.next {
            return Err(Refused::Garbage);
        }
        self.bytes.extend_from_slice(bytes);
        self.next += 1;
        if self.next < self.of {
            return Ok(None);
        }
        let whole = std::mem::take(self);
        let hash: [u8; 32] = Sha256::digest(&whole.bytes).into();
        if hash == whole.hash { Ok(Some(whole.bytes)) } else { Err(Refused::Garbage) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::decode;

    /// The parts of a command of so many bytes.
    fn parts(length: usize) -> Vec<(Part, Vec<u8>)> {
        let command: Vec<u8> = (0..length).map(|index| (index % 251) as u8).collect();
        let read = |message: Vec<u8>| {
            assert!(message.len() <= MAX_FRAME);
            let (part, bytes) = decode::<Part>("", &message).expect("a part");
            (part, bytes[0].to_vec())
        };
        messages(command).into_iter().map(read).collect()
    }

    #[test]
    fn a_command_that_fits_travels_as_it_is() {
        assert_eq!(messages(vec![7; MAX_FRAME]), [vec![7; MAX_FRAME]]);
    }

    #[test]
    fn a_long_command_is_put_together_again() {
        let mut assembly = Assembly::default();
        for length in [MAX_FRAME + 1, 2 * PART, 2 * PART + 1] {
            let parts = parts(length);
            let (last, others) = parts.split_last().expect("several");
            for (part, bytes) in others {
                assert_eq!(assembly.add(part, bytes), Ok(None));
                assert_eq!(assembly.add(part, bytes), Ok(None), "it came twice");
            }
            let whole = assembly.add(&last.0, &last.1).expect("no error").expect("complete");
            assert!(whole.len() == length && whole[length - 1] == ((length - 1) % 251) as u8);
        }
    }

    #[test]
    fn parts_that_do_not_belong_together_are_refused() {
        let (one, other) = (parts(3 * PART), parts(3 * PART - 1));
        let mut assembly = Assembly::default();
        let mut add = |(part, bytes): &(Part, Vec<u8>)| assembly.add(part, bytes);
        assert_eq!(add(&one[1]), Err(Refused::Garbage), "not the first one");
        assert_eq!(add(&one[0]), Ok(None));
        assert_eq!(add(&one[2]), Err(Refused::Garbage), "one is missing");
        assert_eq!(add(&other[1]), Err(Refused::Garbage), "of another command");
        assert_eq!(add(&one[1]), Ok(None));
        let changed = (one[2].0.clone(), vec![0; one[2].1.len()]);
        assert_eq!(add(&changed), Err(Refused::Garbage), "other bytes than the hash");
        let endless = Part { of: 1_000, ..one[0].0.clone() };
        assert_eq!(add(&(endless, Vec::new())), Err(Refused::Oversize));
    }
}
