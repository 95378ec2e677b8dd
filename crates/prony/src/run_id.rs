//! Ids of runs, and the random values of seeds and tokens. The id of a run is the time of its beginning (UTC) and four hexadecimal
//! digits, which distinguish runs that begin in the same second.

use crate::failure::Failure;
use jiff::Timestamp;
use std::fs::File;
use std::io::Read;

/// Returns a new id, such as `2026-11-21T03:40:12Z-7f3a`.
pub(crate) fn new() -> Result<String, Failure> {
    let digits = random()? & 0xffff;
    Ok(format!("{}-{digits:04x}", time(Timestamp::now())))
}

/// Returns a time as ids of runs begin with it, in whole seconds, such as `2026-11-21T03:40:12Z`. As texts, such times compare as the
/// times do.
pub(crate) fn time(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Returns a seed for an experiment that names none. It is below 1,000,000, so that it is easy to type.
pub(crate) fn seed() -> Result<u64, Failure> {
    Ok(random()? % 1_000_000)
}

/// Returns 128 random bits as hexadecimal digits, which nobody can guess.
pub(crate) fn token() -> std::io::Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn random() -> Result<u64, Failure> {
    let mut bytes = [0; 8];
    let mut source = File::open("/dev/urandom")?;
    source.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}
