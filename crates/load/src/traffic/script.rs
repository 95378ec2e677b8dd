//! Runs scripts of plans for a user.

use super::answer::Answer;
use super::clock_text::write_time;
use super::player::Variable;
use super::render::Env;
use model::scenario::expression::Scope as _;
use model::scenario::{ResponsePart, ScriptHost, Snippet, Template, TimePart};
use model::units::Nanos;
use std::time::{SystemTime, UNIX_EPOCH};

/// What a script has done besides setting variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ScriptEffects {
    /// Whether the last request is to count as right or wrong, and why; `None` leaves it as it is.
    pub(crate) verdict: Option<(bool, String)>,
    /// How long the user pauses behind the script.
    pub(crate) sleep: Nanos,
}

/// A script that runs for a user.
struct Running<'e, 'a> {
    env: &'e mut Env<'a>,
    /// The answer behind which the script runs.
    answer: Option<&'e Answer<'e>>,
    effects: ScriptEffects,
}

impl<'a> Env<'a> {
    /// Runs a script until it ends or fails, as in JMeter.
    pub(crate) fn run_script(&mut self, snippet: &Snippet, answer: Option<&Answer<'_>>) -> ScriptEffects {
        let mut running = Running { env: self, answer, effects: ScriptEffects::default() };
        snippet.run(&mut running).ok();
        running.effects
    }

    /// Runs a script between requests; returns how long the user pauses behind it.
    pub(crate) fn run_between(&mut self, snippet: &Snippet) -> Nanos {
        let effects = self.run_script(snippet, None);
        if let Some((success, _)) = effects.verdict {
            self.player.last_ok = success;
        }
        effects.sleep
    }

    /// Appends the value of a script.
    pub(crate) fn write_script(&mut self, snippet: &Snippet, out: &mut Vec<u8>) {
        let mut running = Running { env: self, answer: None, effects: ScriptEffects::default() };
        let text = snippet.text(&mut running);
        out.extend_from_slice(text.as_bytes());
    }

    /// The value of a variable by its name, or of an item of a list, such as `ids_2`, or the length of one, `ids_matchNr`.
    fn named_variable(&self, name: &str) -> Option<String> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let program = self.shared.program();
        if let Some(slot) = program.variables.find(name) {
            let variable: &Variable = &self.player.variables[slot];
            if variable.set {
                return Some(text(&variable.text));
            }
        }
        if let Some((_, value)) = self.player.named.iter().find(|(known, _)| known == name) {
            return Some(value.clone());
        }
        let (list, rest) = name.rsplit_once('_')?;
        let list = &self.player.lists[program.lists.find(list)?];
        match rest {
            "matchNr" => Some(list.len().to_string()),
            number => list.get(number.parse::<usize>().ok()?.checked_sub(1)?).map(text),
        }
    }

    fn put_named(&mut self, name: &str, value: Option<String>) {
        match (self.shared.program().variables.find(name), value) {
            (Some(slot), Some(value)) => self.player.variables[slot].put(value.as_bytes()),
            (Some(slot), None) => self.player.variables[slot].set = false,
            (None, value) => {
                self.player.named.retain(|(known, _)| known != name);
                self.player.named.extend(value.map(|value| (name.to_owned(), value)));
            }
        }
    }
}

impl ScriptHost for Running<'_, '_> {
    fn hole(&mut self, template: &Template) -> String {
        let mut text = Vec::new();
        self.env.render(template, &mut text);
        String::from_utf8_lossy(&text).into_owned()
    }

    fn variable(&mut self, name: &str) -> Option<String> {
        self.env.named_variable(name)
    }

    fn put(&mut self, name: &str, value: Option<String>) {
        self.env.put_named(name, value);
    }

    fn property(&mut self, name: &str) -> Option<String> {
        self.env.shared.property(name)
    }

    fn put_property(&mut self, name: &str, value: String) {
        self.env.shared.put_property(name, value);
    }

    fn response(&mut self, part: ResponsePart) -> Option<String> {
        let Some(answer) = self.answer else {
            let status = self.env.player.last_status;
            return (part == ResponsePart::Status && status > 0).then(|| status.to_string());
        };
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Some(match part {
            ResponsePart::Status => answer.status.to_string(),
            ResponsePart::Reason => text(answer.reason()),
            ResponsePart::Body => text(answer.body),
            ResponsePart::Head => text(answer.head),
            ResponsePart::Milliseconds => (answer.took.0 / 1_000_000).to_string(),
        })
    }

    fn succeeded(&mut self) -> bool {
        self.env.player.last_ok
    }

    fn set_succeeded(&mut self, success: bool, message: &str) {
        self.effects.verdict = Some((success, message.to_owned()));
    }

    fn sleep(&mut self, milliseconds: u64) {
        self.effects.sleep = self.effects.sleep + Nanos(milliseconds.saturating_mul(1_000_000));
    }

    fn random(&mut self) -> u64 {
        self.env.player.random.below(u64::MAX)
    }

    fn now(&mut self) -> i64 {
        SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as i64
    }

    fn format_time(&mut self, pattern: &str, milliseconds: i64) -> Option<String> {
        let parts = TimePart::parse(pattern).ok()?;
        let mut text = Vec::new();
        write_time(&parts, milliseconds, self.env.shared.sessions().utc_offset, &mut text);
        String::from_utf8(text).ok()
    }

    fn user_number(&mut self) -> u64 {
        self.env.user_number()
    }

    fn regex(&mut self, pattern: &str, text: &str, whole: bool) -> Option<bool> {
        let patterns = &mut self.env.world.patterns;
        let regex = if whole { patterns.whole_regex(pattern) } else { patterns.regex(pattern) };
        Some(regex?.is_match(text.as_bytes()))
    }
}
