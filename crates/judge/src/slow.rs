//! The limits by which a service counts as slow, and a slice of it as long enough.

/// Fewest waves of requests in the counted part of a slice, unless the file says otherwise. A wave is one service time,
/// in which each user is answered once; with 30 of them, one wave more or less at the edges changes throughput by 3 %.
pub const WAVES: f64 = 30.0;
/// Shortest service time of a slow service, in seconds. From here on, users that begin together stay together for long.
pub const SLOW: f64 = 0.1;
