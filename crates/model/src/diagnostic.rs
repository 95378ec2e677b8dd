//! What is wrong with a file, said once: message, line, column, carets, and what to do.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use std::ops::Range;

/// One thing wrong with a source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Bytes of the source it is about.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// A diagnostic without a hint.
    pub fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
            hint: None,
        }
    }

    /// The same with what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same with the key it is about.
    #[must_use]
    pub(crate) fn about(mut self, key: &str) -> Self {
        self.message = format!("`{key}`: {}", self.message);
        self
    }
}

/// A source text that cannot become what it should; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// Everything found wrong, in the order of the text.
    pub diagnostics: Vec<Diagnostic>,
}

impl Rejected {
    /// Renders all of it for people: `error:` with line, column and carets, `hint:` below.
    pub fn render(&self, name: &str, text: &str, colour: bool) -> String {
        let renderer = if colour {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        let renderer = renderer.decor_style(DecorStyle::Ascii);
        let render = |diagnostic: &Diagnostic| {
            let span = clamp(&diagnostic.span, text);
            let snippet = Snippet::source(text)
                .path(name)
                .annotation(AnnotationKind::Primary.span(span));
            let mut group = Level::ERROR.primary_title(&diagnostic.message).element(snippet);
            if let Some(hint) = &diagnostic.hint {
                group = group.element(Level::HELP.with_name("hint").message(hint));
            }
            renderer.render(&[group])
        };
        self.diagnostics
            .iter()
            .map(render)
            .collect::<Vec<_>>()
            .join("\n\n")
    }
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
            let rejected = Rejected {
                diagnostics: vec![Diagnostic::new(span, "wrong")],
            };
            assert!(
                rejected
                    .render("f.toml", "a = \"中文\"\n", false)
                    .contains("f.toml:1")
            );
        }
    }
}
