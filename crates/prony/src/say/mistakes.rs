//! [`Mistakes`]: what is wrong with an experiment file, a mix or an argument, drawn with its lines.

#[cfg(test)]
mod tests;

use ::say::{Say, Writer};
use model::diagnostic::Rejected;

/// A text that was rejected, with all that is needed to draw what is wrong with it.
#[derive(Debug, Say)]
#[say(error, transparent = Drawn(self))]
pub(crate) struct Mistakes {
    /// What is wrong, and where.
    pub(crate) rejected: Rejected,
    /// What the text is called: its file.
    pub(crate) name: String,
    pub(crate) text: String,
    /// Whether it is drawn in colour.
    pub(crate) colour: bool,
}

/// Mistakes with their lines and carets.
struct Drawn<'a>(&'a Mistakes);

impl Say for Drawn<'_> {
    fn say(&self, out: &mut Writer) {
        let Mistakes { rejected, name, text, colour } = self.0;
        out.value(rejected.render_in(out.language(), name, text, *colour));
    }
}
