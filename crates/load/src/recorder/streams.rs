//! What is recorded of HTTP/2: waits for streams and windows, streams and connections that the server ends.

use super::Recorder;
use crate::http2::ErrorCode;
use crate::slice::Http2Counts;
use model::units::{Nanos, Seconds};

/// The requests that wait until the server allows another stream.
#[derive(Debug, Default)]
pub(super) struct StreamWaiters {
    count: u64,
    /// Up to when `integral` was computed.
    since: Nanos,
    /// Integral of `count` over the window so far, request-nanoseconds.
    integral: u128,
}

impl StreamWaiters {
    /// Begins the window.
    pub(super) fn begin(&mut self, now: Nanos) {
        (self.since, self.integral) = (now, 0);
    }

    /// Brings the integral up to date, before `count` changes.
    fn integrate(&mut self, now: Nanos) {
        self.integral += u128::from(self.count) * u128::from(now.since(self.since).0);
        self.since = self.since.max(now);
    }

    /// Ends the window; returns how long its requests have waited together.
    pub(super) fn end(&mut self, now: Nanos) -> Seconds {
        self.integrate(now);
        Seconds(self.integral as f64 / 1e9)
    }
}

impl Recorder {
    /// Counts a request that waits until the server allows another stream.
    pub(crate) fn record_stream_wait(&mut self) {
        self.slice.http2.stream_waits += u64::from(self.counting);
    }

    /// Notes that a request begins to wait for a stream, or waits no longer.
    pub(crate) fn stream_waiters_changed(&mut self, begins: bool, now: Nanos) {
        if self.counting {
            self.stream_waiters.integrate(now);
        }
        match begins {
            true => self.stream_waiters.count += 1,
            false => self.stream_waiters.count -= 1,
        }
    }

    /// Counts a request whose body waits for a window that the server opens: the window of the connection, or of one stream.
    pub(crate) fn record_window_wait(&mut self, of_connection: bool) {
        let counts = &mut self.slice.http2;
        counts.window_waits += u64::from(self.counting);
        counts.connection_window_waits += u64::from(self.counting && of_connection);
    }

    /// Records how long it took from when the body of a request had to wait for a window until it had left, or until nobody wanted it any
    /// more.
    pub(crate) fn record_window_waited(&mut self, took: Nanos) {
        if self.counting {
            self.slice.http2.window_waited += Seconds(took.as_secs_f64());
        }
    }

    /// Counts a stream that the server cancelled.
    pub(crate) fn record_reset(&mut self, code: ErrorCode) {
        self.slice.http2.resets[code as usize] += u64::from(self.counting);
    }

    /// Counts a connection that the server announced to end.
    pub(crate) fn record_goaway(&mut self, code: ErrorCode) {
        self.slice.http2.goaways[code as usize] += u64::from(self.counting);
    }

    /// Records the connections that are open at the end of the window, each by the most streams that its server allows at once; `None` is no
    /// limit.
    pub(crate) fn record_connections(&mut self, limits: impl Iterator<Item = Option<u32>>) {
        for limit in limits {
            let counts = Http2Counts { connections: 1, stream_limit: limit, ..Http2Counts::default() };
            self.slice.http2.merge(&counts);
        }
    }
}
