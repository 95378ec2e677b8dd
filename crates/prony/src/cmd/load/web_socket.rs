//! The flags for messages of WebSocket.

use super::LoadComplaint;
use super::plan::body_bytes;
use super::streaming::StreamingArgs;
use crate::failure::Failure;
use ask::values;
use clap::Args;
use load::RequestBuilder;
use model::units::Nanos;
use model::url::http_form;
use traffic::streaming::{EventForm, ReadUntil, Streaming};
use traffic::web_socket::{Awaited, MessageForm, WebSocketStep};

/// Messages of WebSocket in the place of requests.
#[derive(Debug, Args)]
pub(super) struct WebSocketArgs {
    /// Send this message over WebSocket to a URL with ws:// or wss://, or @FILE to read it from a file, and await its echo. Each connection
    /// stays open and sends one message after the other. With --events or --until, each message has several answers.
    #[arg(long, value_name = "TEXT", group = "streamed", conflicts_with_all = ["mix", "scenario", "jmx", "method", "body"])]
    send: Option<String>,
    /// The answer to --send is the first message that has this text; others before it are passed over [default: a message that equals the one
    /// that was sent, or any with --events or --until]
    #[arg(long, value_name = "TEXT", requires = "send")]
    expect: Option<String>,
    /// Keep each connection of WebSocket open for this long without sending anything: it only answers pings and counts messages.
    #[arg(long, value_name = "TIME", value_parser = values::duration, conflicts_with_all = ["streamed", "mix", "scenario", "jmx", "method", "body"])]
    hold: Option<Nanos>,
}

impl WebSocketArgs {
    /// Checks that messages go to a URL of WebSocket, and nothing else does. `opens` says whether the requests are messages.
    pub(super) fn check(&self, url: &str, opens: bool) -> Result<(), Failure> {
        let is_web_socket = http_form(url).is_some();
        match (opens, is_web_socket) {
            (false, true) => Err(Failure::usage(LoadComplaint::NoMessage { url: url.to_owned() })),
            (true, false) if self.send.is_some() || self.hold.is_some() => {
                Err(Failure::usage(LoadComplaint::NotOfWebSocket { url: url.to_owned() }))
            }
            _ => Ok(()),
        }
    }

    /// The message that `request` becomes; `None` where no message is asked for.
    pub(super) fn message(
        &self,
        streaming: &StreamingArgs,
        request: &RequestBuilder,
    ) -> Result<Option<RequestBuilder>, Failure> {
        if let Some(length) = self.hold {
            let until = Some(ReadUntil::Time(length));
            let streaming = Streaming { events: Some(0), until, ..Streaming::new(EventForm::Messages) };
            let step = WebSocketStep::Message { sends: None, awaits: Awaited::Containing(Vec::new()) };
            return Ok(Some(request.clone().message(step).streaming(Some(streaming))));
        }
        let Some(text) = &self.send else { return Ok(None) };
        let content = body_bytes(text)?;
        let counted = streaming.limit().map(|_| streaming.of_messages());
        let expected = self.expect.as_ref().map(|text| text.clone().into_bytes());
        let awaits = Awaited::answering(expected, counted.is_some());
        let step = WebSocketStep::Message { sends: Some(MessageForm::of(&content)), awaits };
        Ok(Some(request.clone().body(content).message(step).streaming(counted)))
    }
}
