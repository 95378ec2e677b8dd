//! What is recorded of answers that stream: when their events came.

use super::Recorder;
use crate::cells::HistogramCells;
use crate::events::EventArrivals;
use crate::slice::EventSlice;

/// Records the events of the answers of a shard.
#[derive(Debug, Default)]
pub(super) struct EventRecorder {
    events: u64,
    left: u64,
    first: HistogramCells,
    gaps: HistogramCells,
}

impl EventRecorder {
    /// Returns what was recorded, and begins anew.
    pub(super) fn take(&mut self) -> EventSlice {
        let taken = EventSlice {
            events: std::mem::take(&mut self.events),
            left: std::mem::take(&mut self.left),
            first: self.first.to_sparse(),
            gaps: self.gaps.to_sparse(),
        };
        self.first.clear();
        self.gaps.clear();
        taken
    }
}

impl Recorder {
    /// Takes the memory for events, if answers stream.
    pub(crate) fn with_events(mut self, streams: bool) -> Self {
        self.events = streams.then(Box::default);
        self
    }

    /// Records events that arrived together: the first of them ends the time since the event before, or since the request was sent, and
    /// between the others there is none.
    pub(crate) fn record_events(&mut self, arrivals: &EventArrivals) {
        let Some(events) = self.events.as_mut().filter(|_| self.counting) else { return };
        events.events += arrivals.count;
        let times = if arrivals.with_first { &mut events.first } else { &mut events.gaps };
        times.record(arrivals.after.0);
        (1..arrivals.count).for_each(|_| events.gaps.record(0));
    }

    /// Counts an answer that goes on and whose rest is not read.
    pub(crate) fn record_left(&mut self) {
        if let Some(events) = self.events.as_mut().filter(|_| self.counting) {
            events.left += 1;
        }
    }
}
