//! [`Diagnostic`]: a slip in a source text, with its place and a hint; it is drawn with its line and carets.

use crate::slip::{Hint, Slip};
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use say::{Language, Say, Writer};
use std::ops::Range;

/// One thing wrong with a source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The bytes of the source that it points at.
    pub span: Range<usize>,
    /// The keys whose value is wrong, the outermost first; empty where the slip itself says what it is about.
    pub keys: Vec<String>,
    pub slip: Box<Slip>,
    /// What to do about it.
    pub hint: Option<Box<Hint>>,
}

impl Diagnostic {
    /// A diagnostic without a hint.
    pub fn new(span: Range<usize>, slip: impl Into<Slip>) -> Self {
        Self { span, keys: Vec::new(), slip: Box::new(slip.into()), hint: None }
    }

    /// Sets the hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Hint>) -> Self {
        self.hint = Some(Box::new(hint.into()));
        self
    }

    /// Says that the slip is in the value of this key.
    #[must_use]
    pub(crate) fn about(mut self, key: &str) -> Self {
        self.keys.insert(0, key.to_owned());
        self
    }

    /// What is wrong, in English.
    pub fn message(&self) -> String {
        say::text(self, Language::En)
    }
}

/// The keys, and what is wrong.
impl Say for Diagnostic {
    fn say(&self, out: &mut Writer) {
        let colon = out.language().choose(": ", "：");
        for key in &self.keys {
            out.value(format_args!("`{key}`"));
            out.words(colon);
        }
        self.slip.say(out);
    }
}

/// A source text that cannot become what it should; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// Everything that is wrong, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

/// The word before a message.
#[derive(Say)]
#[say(en = "error", zh = "错误")]
struct ErrorLabel;

/// The word before a hint.
#[derive(Say)]
#[say(en = "hint", zh = "提示")]
struct HintLabel;

impl Rejected {
    /// Draws all of it in English.
    pub fn render(&self, name: &str, text: &str, colour: bool) -> String {
        self.render_in(Language::En, name, text, colour)
    }

    /// Draws all of it for people: `error:` with line, column and carets, `hint:` below. `text` is the source, `name` its
    /// file.
    pub fn render_in(&self, language: Language, name: &str, text: &str, colour: bool) -> String {
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        let renderer = renderer.decor_style(DecorStyle::Ascii);
        let [error_label, hint_label] = [say::text(&ErrorLabel, language), say::text(&HintLabel, language)];
        let render = |diagnostic: &Diagnostic| {
            let span = clamp(&diagnostic.span, text);
            let snippet = Snippet::source(text).path(name).annotation(AnnotationKind::Primary.span(span));
            let error = Level::ERROR.with_name(error_label.as_str());
            let message = say::text(diagnostic, language);
            let mut group = error.primary_title(&message).element(snippet);
            let hint = diagnostic.hint.as_deref().map(|hint| say::text(hint, language));
            if let Some(hint) = &hint {
                group = group.element(Level::HELP.with_name(hint_label.as_str()).message(hint));
            }
            renderer.render(&[group])
        };
        let (drawn, counted) = self.diagnostics.split_at(self.diagnostics.len().min(MOST_DRAWN));
        let mut drawn: Vec<String> = drawn.iter().map(render).collect();
        drawn.extend(kinds(counted, language).iter().map(|more| say::text(more, language)));
        drawn.join("\n\n")
    }
}

/// The most mistakes of one text that are drawn; the others are counted by kind.
const MOST_DRAWN: usize = 10;

/// Mistakes of one kind that are not drawn.
#[derive(Debug, PartialEq, Eq, Say)]
#[say(en = "{count} more like this: {what}", zh = "另有 {count} 处同类问题：{what}")]
struct MoreOfAKind {
    count: usize,
    /// What is said of the first of them.
    what: String,
}

/// Counts mistakes by what is said of them, whatever they are about: texts in backticks.
fn kinds(diagnostics: &[Diagnostic], language: Language) -> Vec<MoreOfAKind> {
    let mut kinds: Vec<(String, MoreOfAKind)> = Vec::new();
    for diagnostic in diagnostics {
        let what = say::text(diagnostic, language);
        let kind = what.split('`').step_by(2).collect::<Vec<_>>().join("`");
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, more)) => more.count += 1,
            None => kinds.push((kind, MoreOfAKind { count: 1, what })),
        }
    }
    kinds.into_iter().map(|(_, more)| more).collect()
}

/// A span that can be drawn: inside the text, on character boundaries, at least one character wide where there is one.
fn clamp(span: &Range<usize>, text: &str) -> Range<usize> {
    let floor = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = floor(span.start);
    start..floor(span.end).max(start)
}

/// The candidate that `word` most probably meant: the one with the smallest Levenshtein distance, if that is at most a third
/// of the word's length.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (strsim::levenshtein(word, candidate), candidate))
        .filter(|&(distance, _)| distance <= limit)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// The hint for an unknown word: the candidate that was probably meant, or else another hint.
pub(crate) fn near_or<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    otherwise: impl FnOnce() -> Hint,
) -> Hint {
    match nearest(word, candidates) {
        Some(near) => Hint::DidYouMean(format!("`{near}`")),
        None => otherwise(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_finds_a_slip_and_stays_silent_on_another_word() {
        assert_eq!(nearest("theads", ["threads", "heap"]), Some("threads"));
        assert_eq!(nearest("tomact", ["tomcat", "jetty"]), Some("tomcat"));
        assert_eq!(nearest("colour", ["threads", "heap"]), None);
    }

    #[test]
    fn a_span_outside_the_text_or_inside_a_character_is_still_drawn() {
        for span in [0..0, 5..99, 1..2, 99..100] {
            let rejected =
                Rejected { diagnostics: vec![Diagnostic::new(span, Slip::Toml("wrong".to_owned()))] };
            assert!(rejected.render("f.toml", "a = \"中文\"\n", false).contains("f.toml:1"));
        }
    }
}
