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
    let given = table.get("events").or(table.get("until"));
    if let Some(node) = given.filter(|_| table.get("stream").is_none()) {
        problems.push(node.refuse(RequestSlip::EventsWithoutStream).hint(Hint::write("stream = \"events\"")));
    }
    let streaming = of_form(table, form.unwrap_or_default(), problems);
    form.map(|_| streaming)
}

/// Reads how many events of this form are awaited and read.
pub(crate) fn of_form(table: &mut Table<'_>, form: EventForm, problems: &mut Vec<Diagnostic>) -> Streaming {
    let events = table.read("events", problems, |node| node.integer(1..=MOST_EVENTS));
    let until = table.read("until", problems, Node::read_until);
    if let (Some(_), Some(ReadUntil::Events(_)), Some(node)) = (events, until, table.get("events")) {
        problems.push(node.refuse(RequestSlip::TwoEventCounts).hint(Hint::LeaveOut("events")));
    }
    Streaming { form, events, until }
}

impl Node {
    /// Reads when the rest of an answer is not read: a number of events, or a text with a time.
    fn read_until(&self) -> Result<ReadUntil, Diagnostic> {
        self.quantity(values::Notation::ReadUntil, values::read_until)
    }
}
