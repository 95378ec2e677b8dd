//! [`Commands`]: the commands that reach an agent, whole or in parts.

use crate::frame::{Refused, decode, decode_within, encode};
use crate::link::Link;
use crate::message::{Answer, Command};
use crate::parts::{Assembly, MAX_COMMAND, Part};
use async_nats::{Message, Subscriber};
use futures_util::StreamExt;

/// The subscription of an agent.
pub(crate) struct Commands {
    link: Link,
    messages: Subscriber,
    assembly: Assembly,
}

/// A command as it came.
pub(crate) struct Received {
    /// The message, or the last part's.
    pub(crate) message: Message,
    /// The command that was put together of parts, if it was.
    whole: Option<Result<Vec<u8>, Refused>>,
}

impl Commands {
    pub(crate) fn new(link: &Link, messages: Subscriber) -> Self {
        Self { link: link.clone(), messages, assembly: Assembly::default() }
    }

    /// The next command; `None` when the connection has ended. All but the last part are answered here.
    pub(crate) async fn next(&mut self) -> Option<Received> {
        loop {
            let message = self.messages.next().await?;
            let whole = match decode::<Part>("", &message.payload) {
                Err(_) => None,
                Ok((part, bytes)) => {
                    match self.assembly.add(&part, bytes.first().copied().unwrap_or_default()) {
                        Ok(None) => {
                            self.confirm(&message);
                            continue;
                        }
                        Ok(Some(whole)) => Some(Ok(whole)),
                        Err(refused) => Some(Err(refused)),
                    }
                }
            };
            return Some(Received { message, whole });
        }
    }

    /// Says that a part is here. It is a task of its own, because waiting for the next command can be given up at any time.
    fn confirm(&self, message: &Message) {
        let Some(reply) = message.reply.clone() else {
            return;
        };
        let client = self.link.client.clone();
        let done = encode("", &Answer::Done, &[]);
        tokio::spawn(async move { client.publish(reply, done.into()).await.ok() });
    }
}

impl Received {
    /// The command, if it belongs to this run.
    ///
    /// # Errors
    ///
    /// Why it is refused.
    pub(crate) fn command(&self, run: &str) -> Result<Command, Refused> {
        let decoded = match &self.whole {
            None => decode(run, &self.message.payload),
            Some(Ok(whole)) => decode_within(MAX_COMMAND, run, whole),
            Some(Err(refused)) => Err(*refused),
        };
        decoded.map(|(command, _)| command)
    }
}
