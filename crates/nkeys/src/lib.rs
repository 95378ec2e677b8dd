//! [`KeyPair`]: the key of a user, an account or an operator of a NATS server, and its form as text. async-nats signs by it what a server asks.
//!
//! This crate takes the place of the published crate `nkeys` (`[patch.crates-io]` in Cargo.toml), and has what async-nats and our tests use
//! of it, with the same messages. The published one depends on two dozen crates that prony needs for nothing else, among them a second library of
//! cryptography.
//!
//! (NATS, "NATS Server NKeys": Ed25519, and base 32 of one or two bytes of prefix, the key, and its CRC-16.)

use aws_lc_rs::rand;
use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair as _};
use data_encoding::{BASE32_NOPAD, DecodeError};

/// The number of bytes of a key, whether public or not.
const KEY_BYTES: usize = 32;
/// The number of letters of a seed: 36 bytes in base 32.
const SEED_LETTERS: usize = 58;
/// The first five bits of a seed. It is the letter S.
const SEED: u8 = 18 << 3;
const OPERATOR: u8 = 14 << 3;
const ACCOUNT: u8 = 0;
const USER: u8 = 20 << 3;

/// Why a text is no seed, or why there is no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It is too long or too short.
    #[error("Invalid key length: Bad seed length: {0}")]
    Length(usize),
    /// It is not base 32.
    #[error("Codec failure: Data encoding failure: {0}")]
    Encoding(DecodeError),
    /// Something is mistyped.
    #[error("Checksum match failure: Checksum mismatch")]
    Checksum,
    /// It is a key, and no seed. The letter is its first one.
    #[error("Invalid byte prefix: Incorrect byte prefix: {0}")]
    Prefix(char),
    /// The library refuses to sign.
    #[error("Signature failure")]
    Signature,
}

/// A private key and its public key.
pub struct KeyPair {
    /// Whose it is, as the first byte of the public key.
    prefix: u8,
    seed: [u8; KEY_BYTES],
    pair: Ed25519KeyPair,
}

impl std::fmt::Debug for KeyPair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeyPair").field("public_key", &self.public_key()).finish_non_exhaustive()
    }
}

impl KeyPair {
    /// Reads a seed, such as `SUANQDPB2RUOE4ETUA26CNX7FUKE5ZZKFCQIIW63OX225F2CO7UEXTM7ZY`.
    ///
    /// # Errors
    ///
    /// When it is none.
    pub fn from_seed(text: &str) -> Result<Self, Error> {
        if text.len() != SEED_LETTERS {
            return Err(Error::Length(text.len()));
        }
        let bytes = BASE32_NOPAD.decode(text.as_bytes()).map_err(Error::Encoding)?;
        let (content, checksum) = bytes.split_last_chunk().ok_or(Error::Checksum)?;
        if crc16(content) != u16::from_le_bytes(*checksum) {
            return Err(Error::Checksum);
        }
        let [first, second, seed @ ..] = content else {
            return Err(Error::Length(text.len()));
        };
        if first & 0xf8 != SEED {
            return Err(Error::Prefix(char::from(text.as_bytes()[0])));
        }
        let seed = seed.try_into().map_err(|_| Error::Length(text.len()))?;
        Self::of(first << 5 | second >> 3, seed)
    }

    /// Makes a key of an operator.
    ///
    /// # Panics
    ///
    /// When the system has no random numbers.
    pub fn new_operator() -> Self {
        Self::new(OPERATOR)
    }

    /// Makes a key of an account.
    ///
    /// # Panics
    ///
    /// When the system has no random numbers.
    pub fn new_account() -> Self {
        Self::new(ACCOUNT)
    }

    /// Makes a key of a user.
    ///
    /// # Panics
    ///
    /// When the system has no random numbers.
    pub fn new_user() -> Self {
        Self::new(USER)
    }

    fn new(prefix: u8) -> Self {
        let mut seed = [0; KEY_BYTES];
        rand::fill(&mut seed).expect("random numbers");
        Self::of(prefix, seed).expect("every seed has a key")
    }

    fn of(prefix: u8, seed: [u8; KEY_BYTES]) -> Result<Self, Error> {
        let pair = Ed25519KeyPair::from_seed_unchecked(&seed).map_err(|_| Error::Signature)?;
        Ok(Self { prefix, seed, pair })
    }

    /// Returns the public key as text.
    pub fn public_key(&self) -> String {
        text_of(&[self.prefix], self.pair.public_key().as_ref())
    }

    /// Returns the seed as text. It is a secret.
    ///
    /// # Errors
    ///
    /// None; the published crate also has keys without a seed.
    pub fn seed(&self) -> Result<String, Error> {
        let prefix = [SEED | self.prefix >> 5, self.prefix << 3];
        Ok(text_of(&prefix, &self.seed))
    }

    /// Signs a message.
    ///
    /// # Errors
    ///
    /// When the library refuses.
    pub fn sign(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        let signature = self.pair.try_sign(message).map_err(|_| Error::Signature)?;
        Ok(signature.as_ref().to_vec())
    }
}

/// Returns prefix, key and checksum in base 32.
fn text_of(prefix: &[u8], key: &[u8]) -> String {
    let mut bytes = [prefix, key].concat();
    let checksum = crc16(&bytes);
    bytes.extend(checksum.to_le_bytes());
    BASE32_NOPAD.encode(&bytes)
}

/// The checksum CRC-16/XMODEM.
fn crc16(bytes: &[u8]) -> u16 {
    let shift = |crc: u16, _| match crc & 0x8000 {
        0 => crc << 1,
        _ => crc << 1 ^ 0x1021,
    };
    bytes.iter().fold(0, |crc, byte| (0..8).fold(crc ^ u16::from(*byte) << 8, shift))
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_lc_rs::signature::{ED25519, UnparsedPublicKey};

    /// Made by NATS's own library, for Go.
    const SEED_OF_GO: &str = "SAAPN4W3EG6KCJGUQTKTJ5GSB5NHK5CHAJL4DBGFUM3HHROI4XUEP4OBK4";
    const KEY_OF_GO: &str = "ACODERUVFFAWZQDSS6SBIACUA5O6SXF7HJ3YTYXBALHZP3P7R4BUO4J2";

    #[test]
    fn a_seed_of_another_library_has_the_public_key_that_it_has_there() {
        let key = KeyPair::from_seed(SEED_OF_GO).expect("a seed");
        assert_eq!(key.public_key(), KEY_OF_GO);
        assert_eq!(key.seed().expect("a seed"), SEED_OF_GO);
        assert!(!format!("{key:?}").contains(SEED_OF_GO));
    }

    #[test]
    fn what_a_key_signs_is_verified_by_its_public_key_alone() {
        let (user, other) = (KeyPair::new_user(), KeyPair::new_user());
        let signed = user.sign(b"nonce").expect("signed");
        let verify = |key: &KeyPair, message: &[u8]| {
            let bytes = BASE32_NOPAD.decode(key.public_key().as_bytes()).expect("base 32");
            UnparsedPublicKey::new(&ED25519, &bytes[1..=KEY_BYTES]).verify(message, &signed)
        };
        assert!(verify(&user, b"nonce").is_ok());
        assert!(verify(&user, b"another").is_err());
        assert!(verify(&other, b"nonce").is_err());
    }

    #[test]
    fn the_first_letters_tell_whose_key_it_is() {
        let keys = [KeyPair::new_operator(), KeyPair::new_account(), KeyPair::new_user()];
        for (key, letter) in keys.iter().zip(["O", "A", "U"]) {
            assert!(key.public_key().starts_with(letter));
            let seed = key.seed().expect("a seed");
            assert!(seed.starts_with(&format!("S{letter}")));
            let again = KeyPair::from_seed(&seed).expect("a seed");
            assert_eq!(again.public_key(), key.public_key());
        }
    }

    #[test]
    fn what_is_no_seed_is_refused_with_its_reason() {
        let refused = |text: &str| KeyPair::from_seed(text).expect_err("no seed").to_string();
        assert_eq!(refused(KEY_OF_GO), "Invalid key length: Bad seed length: 56");
        assert_eq!(
            refused(&SEED_OF_GO.replace("NHK5", "N!#5")),
            "Codec failure: Data encoding failure: invalid symbol at 27"
        );
        assert_eq!(refused(&SEED_OF_GO.replace("NHK5", "NHK6")), "Checksum match failure: Checksum mismatch");
        assert_eq!(refused(&"A".repeat(SEED_LETTERS)), "Invalid byte prefix: Incorrect byte prefix: A");
    }
}
