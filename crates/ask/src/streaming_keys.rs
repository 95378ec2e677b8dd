//! The keys of a request whose answer comes as a row of events: `stream`, `events` and `until`.

use crate::diagnostic::Diagnostic;
use crate::node::{Node, Table};
use crate::slip::{Hint, RequestSlip};
use crate::values;
use traffic::streaming::{EventForm, ReadUntil, Streaming};

/// The most events that can be asked for.
pub(crate) const MOST_EVENTS: u64 = 1_000_000_000;

/// Reads the keys; what is wrong with them is added to `problems`.
pub(crate) fn read(table: &mut Table<'_>, problems: &mut Vec<Diagnostic>) -> Option<Streaming> {
    let form = table.read("stream", problems, |node| node.one_of(&EventForm::ALL, EventForm::id));
    let (events_node, until_node) = (table.get("events"), table.get("until"));
    let has_stream = table.get("stream").is_some();
    let events = table.read("events", problems, |node| node.integer(1..=MOST_EVENTS));
    let until = table.read("until", problems, Node::read_until);
    if let Some(node) = events_node.or(until_node).filter(|_| !has_stream) {
        problems.push(node.refuse(RequestSlip::EventsWithoutStream).hint(Hint::write("stream = \"events\"")));
    }
    if let (Some(_), Some(ReadUntil::Events(_)), Some(node)) = (events, until, events_node) {
        problems.push(node.refuse(RequestSlip::TwoEventCounts).hint(Hint::LeaveOut("events")));
    }
    Some(Streaming { form: form?, events, until })
}

impl Node {
    /// Reads when the rest of an answer is not read: a number of events, or a text with a time.
    fn read_until(&self) -> Result<ReadUntil, Diagnostic> {
        self.quantity(values::Notation::ReadUntil, values::read_until)
    }
}
