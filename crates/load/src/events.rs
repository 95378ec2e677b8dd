//! [`EventScanner`]: finds the events of an answer that streams, as its bytes come. It keeps no bytes.

use model::units::Nanos;
use traffic::streaming::{EventForm, Streaming};

/// The name of the field of `text/event-stream` that makes a block of lines an event.
const DATA: &[u8] = b"data";

/// Finds the events of one answer, and remembers when the last one came.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EventScanner {
    /// Events so far.
    count: u64,
    /// How many of them were told of.
    told: u64,
    /// When the last one that was told of arrived.
    last: Nanos,
    /// How far the present line is known.
    line: Line,
    /// A line ended with a carriage return; a line feed that follows belongs to it.
    after_return: bool,
    /// The present block of lines, or the present chunk, has something that makes it an event.
    has_data: bool,
}

/// How far a line is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// The number of bytes that have come. They are the first ones of [`DATA`].
    Begins(u8),
    /// It is no line of data, or its rest does not matter.
    Rest,
}

impl Default for Line {
    fn default() -> Self {
        Self::Begins(0)
    }
}

/// Events of an answer that arrived together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EventArrivals {
    /// How many, at least 1.
    pub(crate) count: u64,
    /// Whether the first event of the answer is among them.
    pub(crate) with_first: bool,
    /// The time to them: from the event before, or for the first one from when the request was sent.
    pub(crate) after: Nanos,
}

impl EventScanner {
    /// Events so far.
    pub(crate) const fn count(&self) -> u64 {
        self.count
    }

    /// Takes bytes of the body.
    pub(crate) fn take(&mut self, form: EventForm, bytes: &[u8]) {
        match form {
            EventForm::Events => bytes.iter().for_each(|&byte| self.take_of_event(byte)),
            EventForm::Lines => self.take_lines(bytes),
            EventForm::Chunks => self.has_data |= !bytes.is_empty(),
            // Whoever reads the prefixes of messages knows where they end.
            EventForm::Messages => {}
        }
    }

    /// Counts events that were found by others.
    pub(crate) const fn add(&mut self, count: u64) {
        self.count += count;
    }

    /// Takes a byte of `text/event-stream` (HTML Living Standard, section 9.2.5): a line ends with CR, LF or both, and an empty line ends
    /// an event, which counts if it has data.
    fn take_of_event(&mut self, byte: u8) {
        let is_second_half = std::mem::take(&mut self.after_return) && byte == b'\n';
        if is_second_half {
            return;
        }
        if matches!(byte, b'\r' | b'\n') {
            match self.line {
                Line::Begins(0) => self.count += u64::from(std::mem::take(&mut self.has_data)),
                Line::Begins(known) => self.has_data |= usize::from(known) == DATA.len(),
                Line::Rest => {}
            }
            (self.line, self.after_return) = (Line::default(), byte == b'\r');
            return;
        }
        if let Line::Begins(known) = self.line {
            let is_next = DATA.get(usize::from(known)) == Some(&byte);
            self.has_data |= usize::from(known) == DATA.len() && byte == b':';
            self.line = if is_next { Line::Begins(known + 1) } else { Line::Rest };
        }
    }

    /// Takes bytes of lines: those with nothing but white space are none.
    fn take_lines(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            self.has_data |= !rest[..end].trim_ascii().is_empty();
            self.count += u64::from(std::mem::take(&mut self.has_data));
            rest = &rest[end + 1..];
        }
        self.has_data |= !rest.trim_ascii().is_empty();
    }

    /// Notes that a chunk or a DATA frame has ended.
    pub(crate) fn end_chunk(&mut self, form: EventForm) {
        if form == EventForm::Chunks {
            self.count += u64::from(std::mem::take(&mut self.has_data));
        }
    }

    /// Notes that the answer has ended. A last line needs no line feed, and a body without chunks is one; an event of `text/event-stream`
    /// that no empty line ends is none.
    pub(crate) fn end(&mut self, form: EventForm) {
        if form != EventForm::Events {
            self.count += u64::from(std::mem::take(&mut self.has_data));
        }
    }

    /// The events that were not told of yet, which have arrived at this time; `None` where there are none. Events behind the last one that is
    /// read are left out.
    pub(crate) fn tell(
        &mut self,
        streaming: &Streaming,
        sent: Nanos,
        arrived: Nanos,
    ) -> Option<EventArrivals> {
        self.count = streaming.most_events().map_or(self.count, |most| self.count.min(most));
        let count = self.count - self.told;
        if count == 0 {
            return None;
        }
        let with_first = self.told == 0;
        let after = arrived.since(if with_first { sent } else { self.last });
        (self.told, self.last) = (self.count, arrived);
        Some(EventArrivals { count, with_first, after })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use traffic::streaming::ReadUntil;

    /// The events of a body that comes in two pieces and then ends.
    fn events(form: EventForm, body: &[u8], split: usize) -> u64 {
        let (first, second) = body.split_at(split.min(body.len()));
        let mut scanner = EventScanner::default();
        scanner.take(form, first);
        scanner.take(form, second);
        scanner.end(form);
        scanner.count()
    }

    #[test]
    fn an_event_ends_at_an_empty_line_wherever_it_is_split() {
        for (body, expected) in [
            ("data: 1\n\ndata: 2\n\n", 2),
            ("data: 1\r\n\r\ndata: 2\r\n\r\n", 2),
            ("data: 1\r\rdata: 2\r\r", 2),
            ("id: 7\nevent: tick\ndata: a\ndata: b\nretry: 10\n\n", 1),
            ("data\n\n", 1),
            ("data:\n\n", 1),
            (": keep-alive\n\n: keep-alive\n\ndata: 1\n\n", 1),
            ("event: ping\n\n", 0),
            ("datas: 1\n\ndat: 1\n\n data: 1\n\n", 0),
            ("data: 1\n\n\n\n\n", 1),
            ("data: 1\n\ndata: never ended\n", 1),
            ("", 0),
        ] {
            for split in 0..=body.len() {
                let found = events(EventForm::Events, body.as_bytes(), split);
                assert_eq!(found, expected, "{body:?} split at {split}");
            }
        }
    }

    #[test]
    fn a_line_needs_no_line_feed_at_the_end_and_an_empty_one_is_none() {
        for (body, expected) in
            [("{}\n{}\n", 2), ("{}\r\n{}", 2), ("\n\r\n  \n{}\n\n", 1), ("", 0), ("\n", 0)]
        {
            for split in 0..=body.len() {
                let found = events(EventForm::Lines, body.as_bytes(), split);
                assert_eq!(found, expected, "{body:?} split at {split}");
            }
        }
    }

    #[test]
    fn chunks_count_where_they_end_and_a_body_without_any_is_one() {
        let mut scanner = EventScanner::default();
        for piece in ["ab", "", "c"] {
            scanner.take(EventForm::Chunks, piece.as_bytes());
            scanner.end_chunk(EventForm::Chunks);
        }
        assert_eq!(scanner.count(), 2);
        scanner.end(EventForm::Chunks);
        assert_eq!(scanner.count(), 2);
        assert_eq!(events(EventForm::Chunks, b"whole", 2), 1);
    }

    #[test]
    fn events_are_told_once_with_the_time_since_the_one_before() {
        let mut scanner = EventScanner::default();
        let streaming = Streaming { until: Some(ReadUntil::Events(4)), ..Streaming::new(EventForm::Lines) };
        let mut tell = |bytes: &[u8], at: u64| {
            scanner.take(EventForm::Lines, bytes);
            scanner.tell(&streaming, Nanos(100), Nanos(at))
        };
        let told = |count, with_first, after| Some(EventArrivals { count, with_first, after: Nanos(after) });
        assert_eq!(tell(b"a", 200), None);
        assert_eq!(tell(b"\nb\n", 300), told(2, true, 200));
        assert_eq!(tell(b"", 400), None);
        assert_eq!(tell(b"c\n", 450), told(1, false, 150));
        assert_eq!(tell(b"d\ne\nf\n", 500), told(1, false, 50), "only four are read");
    }

    proptest! {
        #[test]
        fn where_bodies_are_split_makes_no_difference(body in "[dat: \r\n]{0,40}", split in 0_usize..40) {
            for form in [EventForm::Events, EventForm::Lines] {
                let whole = events(form, body.as_bytes(), body.len());
                prop_assert_eq!(events(form, body.as_bytes(), split), whole);
            }
        }
    }
}
