//! [`Streaming`]: an answer that comes as a row of events, and how much of it is read.

use model::units::Nanos;
use serde::{Deserialize, Serialize};

/// An answer that comes as a row of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Streaming {
    /// What an event of it is.
    pub form: EventForm,
    /// How many events a right answer has; `None` is any number from one on. An answer that is left after a time may have more.
    pub events: Option<u64>,
    /// When the rest of an answer is not read; `None` reads it to its end.
    pub until: Option<ReadUntil>,
}

/// What an event of an answer is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EventForm {
    /// An event of `text/event-stream` with data: it ends at an empty line. Comments, which keep connections alive, are none.
    #[default]
    Events,
    /// A line that is not empty, as of `application/x-ndjson`.
    Lines,
    /// A chunk of HTTP/1.1, or a DATA frame of HTTP/2, that is not empty.
    Chunks,
    /// A message of gRPC or WebSocket. Only requests of these have it, and they have no other.
    Messages,
}

/// When the rest of an answer is not read. The connection is then closed, or with HTTP/2 the stream is cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReadUntil {
    /// After so many events, at least 1.
    Events(u64),
    /// After so long from when the request was sent.
    Time(Nanos),
}

impl EventForm {
    /// All forms that files and flags name.
    pub const ALL: [Self; 3] = [Self::Events, Self::Lines, Self::Chunks];

    /// The name in files and on the command line.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Events => "events",
            Self::Lines => "lines",
            Self::Chunks => "chunks",
            Self::Messages => "messages",
        }
    }

    /// The form of that [`EventForm::id`].
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.id() == id)
    }

    /// The media type that is asked for where a request names none.
    pub const fn accepted(self) -> &'static str {
        match self {
            Self::Events => "text/event-stream",
            Self::Lines => "application/x-ndjson, */*;q=0.8",
            Self::Chunks | Self::Messages => "*/*",
        }
    }
}

impl Streaming {
    /// An answer of any number of events that is read to its end.
    pub const fn new(form: EventForm) -> Self {
        Self { form, events: None, until: None }
    }

    /// The number of events after which the rest is not read.
    pub const fn most_events(&self) -> Option<u64> {
        match self.until {
            Some(ReadUntil::Events(most)) => Some(most),
            _ => None,
        }
    }

    /// The number of messages with which an exchange over WebSocket is complete, since no end of an answer tells it; `None` where it lasts for a
    /// time.
    pub fn enough_messages(&self) -> Option<u64> {
        match self.until {
            Some(ReadUntil::Events(most)) => Some(most),
            Some(ReadUntil::Time(_)) => None,
            None => Some(self.events.unwrap_or(1)),
        }
    }

    /// The time after which the rest is not read.
    pub const fn longest(&self) -> Option<Nanos> {
        match self.until {
            Some(ReadUntil::Time(longest)) => Some(longest),
            _ => None,
        }
    }

    /// Whether an answer is right that the server has ended after so many events.
    pub fn is_right(&self, events: u64) -> bool {
        match (self.until, self.events) {
            (Some(ReadUntil::Events(most)), _) => events >= most,
            (Some(ReadUntil::Time(_)), least) => events >= least.unwrap_or(1),
            (None, Some(expected)) => events == expected,
            (None, None) => events > 0,
        }
    }

    /// Whether an answer that goes on may be left after so many events: all that are asked for, or enough when its time is over.
    pub fn may_leave(&self, events: u64) -> bool {
        self.until.is_some() && self.is_right(events)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_right_by_the_number_of_its_events() {
        let any = Streaming::new(EventForm::Events);
        let ten = Streaming { events: Some(10), ..any };
        let first_ten = Streaming { until: Some(ReadUntil::Events(10)), ..any };
        let for_a_second = Streaming { until: Some(ReadUntil::Time(Nanos::from_secs(1))), ..ten };
        let right =
            |streaming: Streaming| [0, 1, 9, 10, 11].map(|events| u8::from(streaming.is_right(events)));
        assert_eq!(right(any), [0, 1, 1, 1, 1]);
        assert_eq!(right(ten), [0, 0, 0, 1, 0]);
        assert_eq!(right(first_ten), [0, 0, 0, 1, 1]);
        assert_eq!(right(for_a_second), [0, 0, 0, 1, 1]);
        assert!(!ten.may_leave(10) && first_ten.may_leave(10) && for_a_second.may_leave(11));
    }

    #[test]
    fn an_exchange_is_complete_with_its_messages_or_lasts_for_its_time() {
        let any = Streaming::new(EventForm::Messages);
        let until = |until| Streaming { until: Some(until), ..any };
        let enough = |streaming: Streaming| streaming.enough_messages();
        assert_eq!(enough(any), Some(1));
        assert_eq!(enough(Streaming { events: Some(10), ..any }), Some(10));
        assert_eq!(enough(until(ReadUntil::Events(5))), Some(5));
        let hold = Streaming { events: Some(0), ..until(ReadUntil::Time(Nanos::from_secs(1))) };
        assert!(enough(hold).is_none() && hold.may_leave(0) && hold.may_leave(7));
    }

    #[test]
    fn each_form_has_a_name() {
        for form in EventForm::ALL {
            assert_eq!(EventForm::from_id(form.id()), Some(form));
        }
        assert_eq!(EventForm::from_id("sse"), None);
    }
}
