//! How long a server of a bench really took to answer.

use std::time::Duration;

/// Tells the number of these delays, and their 50th and 99th percentile in microseconds, as the scripts in `bench/` read them.
pub fn told_delays(mut delays: Vec<Duration>) -> String {
    delays.sort_unstable();
    let quantile = |q: f64| {
        let at = ((delays.len() as f64 - 1.0) * q) as usize;
        delays.get(at).map_or(0.0, |time| time.as_secs_f64() * 1e6)
    };
    format!("{} answers, p50 {:.1} us, p99 {:.1} us", delays.len(), quantile(0.5), quantile(0.99))
}
