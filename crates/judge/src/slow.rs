//! The limits by which a service counts as slow, and a slice of it as long enough.

/// Rounds of requests that the counted part of a slice holds at least, unless the file says otherwise: then one round more
/// or less is 3 %.
pub const ROUNDS: f64 = 30.0;
/// Service times, seconds, from which on users that begin together stay together for long.
pub const SLOW: f64 = 0.1;
