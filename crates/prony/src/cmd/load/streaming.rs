//! The flags for answers that stream.

use ask::values;
use clap::Args;
use traffic::streaming::{EventForm, ReadUntil, Streaming};

/// How answers are taken apart that come as a row of events.
#[derive(Debug, Args)]
pub(super) struct StreamingArgs {
    /// The answer comes as a row of events, which are timed: `events` of text/event-stream, `lines` of JSON, or `chunks` (HTTP/2: DATA
    /// frames).
    #[arg(long, value_name = "FORM", value_parser = ["events", "lines", "chunks"], group = "streamed", conflicts_with_all = ["mix", "scenario", "jmx"])]
    stream: Option<String>,
    /// How many events a right answer has [default: any number from one on]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), requires = "streamed")]
    events: Option<u64>,
    /// Read an answer until it has so many events, such as 10, or for so long, such as 5s, and leave it: the connection is closed, or with
    /// HTTP/2 the stream is cancelled [default: read it to its end]
    #[arg(long, value_name = "N|TIME", value_parser = values::read_until, requires = "streamed", conflicts_with = "events")]
    until: Option<ReadUntil>,
}

impl StreamingArgs {
    /// How answers are taken apart; `None` takes them as a whole.
    pub(super) fn streaming(&self) -> Option<Streaming> {
        let form = self.stream.as_deref().and_then(EventForm::from_id)?;
        Some(Streaming { form, events: self.events, until: self.until })
    }

    /// How an answer of gRPC is taken apart that is a stream of messages.
    pub(super) const fn of_messages(&self) -> Streaming {
        Streaming { form: EventForm::Messages, events: self.events, until: self.until }
    }

    /// The flag that says how many events are awaited, or when an answer is left.
    pub(super) const fn limit(&self) -> Option<&'static str> {
        match (self.events, self.until) {
            (Some(_), _) => Some("--events"),
            (None, Some(_)) => Some("--until"),
            (None, None) => None,
        }
    }
}
