//! The keys of a request that is a message of WebSocket: `path` and `headers` of its connection, `send`, `expect`, `events` and `until`.

use crate::arm::{Arm, HttpVersion};
use crate::diagnostic::Diagnostic;
use crate::grpc_keys;
use crate::mix_file;
use crate::node::{Node, Table};
use crate::slip::{Advice, Hint, WebSocketSlip};
use crate::streaming_keys;
use traffic::mix::{Ask, Mix};
use traffic::streaming::EventForm;
use traffic::web_socket::{Awaited, MessageForm, WebSocketStep};

/// The keys that only requests of HTTP have.
const OF_OTHERS: [&str; 4] = ["method", "body", "status", "stream"];

/// Reads a request that sends this message; what is wrong with it is added to `problems`.
pub(crate) fn read(table: &mut Table<'_>, send: &Node, problems: &mut Vec<Diagnostic>) -> Option<Ask> {
    for key in OF_OTHERS {
        let refused = |node: &Node| node.refuse(WebSocketSlip::NotOfAMessage(key)).hint(Hint::LeaveOut(key));
        problems.extend(table.get(key).map(refused));
    }
    grpc_keys::refuse(table, problems);
    let path = table.read("path", problems, mix_file::path);
    let headers = table.read("headers", problems, mix_file::headers);
    let expect = table.read("expect", problems, Node::owned_text);
    let counts_messages = table.get("events").is_some() || table.get("until").is_some();
    let streaming = streaming_keys::of_form(table, EventForm::Messages, problems);
    let text = send.owned_text().map_err(|problem| problems.push(problem.about("send"))).ok()?;
    Some(Ask {
        method: "GET".to_owned(),
        path: path?,
        headers: headers.unwrap_or_default(),
        body: text,
        status: 101..=101,
        expect: None,
        streaming: counts_messages.then_some(streaming),
        grpc: None,
        web_socket: Some(WebSocketStep::Message {
            sends: Some(MessageForm::Text),
            awaits: Awaited::answering(expect, counts_messages),
        }),
    })
}

/// What is wrong with the requests of a file that are messages: all of them go over the same connections.
pub(crate) fn misfits(requests: &Node, mix: &Mix) -> Option<Diagnostic> {
    let first = mix.asks.iter().find(|ask| ask.web_socket.is_some())?;
    requests.items().iter().zip(&mix.asks).find_map(|(node, ask)| {
        let slip = match ask.web_socket {
            None => WebSocketSlip::RequestsToo,
            Some(_) if ask.path != first.path || ask.headers != first.headers => {
                WebSocketSlip::OtherConnection
            }
            Some(_) => return None,
        };
        Some(node.refuse(slip).hint(Advice::MessagesInScenario))
    })
}

/// What is wrong with an experiment whose requests or steps at this node are messages: an arm that speaks HTTP/2.
pub(crate) fn misfit_of_arms(node: &Node, arms: &[Arm]) -> Option<Diagnostic> {
    let other = arms.iter().find(|arm| arm.settings.http == Some(HttpVersion::Two))?;
    let slip = WebSocketSlip::OverHttp2 { arm: other.name.clone() };
    Some(node.refuse(slip).hint(Hint::LeaveOut("http")))
}
