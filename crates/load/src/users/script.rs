//! Runs scripts of plans for a user.

use super::answer::Answer;
use super::render::Env;
use model::units::Nanos;
use traffic::scenario::{ResponsePart, ScriptEffects, Snippet};

impl Env<'_> {
    /// Runs a script behind an answer until it ends or fails, as in JMeter.
    pub(crate) fn run_script(&mut self, snippet: &Snippet, answer: &Answer<'_>) -> ScriptEffects {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (servers, server) = (&self.shared.servers, self.player.sending.server);
        let parts = |part: ResponsePart| match part {
            ResponsePart::Status => answer.status.to_string(),
            ResponsePart::Reason => text(answer.reason()),
            ResponsePart::Body => text(answer.body),
            ResponsePart::Head => text(answer.head),
            ResponsePart::Url => {
                let path = String::from_utf8_lossy(answer.request_line().1).into_owned();
                format!("{}{path}", servers.url(server))
            }
            ResponsePart::Milliseconds => (answer.took.0 / 1_000_000).to_string(),
        };
        snippet.run(self, Some(&parts)).effects
    }

    /// Runs a script between requests; returns how long the user pauses behind it.
    pub(crate) fn run_between(&mut self, snippet: &Snippet) -> Nanos {
        let effects = snippet.run(self, None).effects;
        if let Some((success, _)) = effects.verdict {
            self.player.last_ok = success;
        }
        effects.sleep
    }
}
