//! Ids of runs: when one began (UTC), and four hexadecimal digits that keep two of one second apart. And all else that is
//! drawn by chance before a run.

use crate::failure::{Code, Failure};
use jiff::Timestamp;
use std::fs::File;
use std::io::Read;

/// `2026-11-21T03:40:12Z-7f3a`.
pub(crate) fn new() -> Result<String, Failure> {
    let digits = random()? & 0xffff;
    Ok(format!(
        "{}-{digits:04x}",
        Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ")
    ))
}

/// A seed for an experiment that names none; small enough to be typed.
pub(crate) fn seed() -> Result<u64, Failure> {
    Ok(random()? % 1_000_000)
}

/// What nobody can guess: 128 bits.
pub(crate) fn token() -> std::io::Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn random() -> Result<u64, Failure> {
    let mut bytes = [0; 8];
    let mut source = File::open("/dev/urandom").map_err(|error| Failure::new(Code::Internal, error))?;
    source.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}
