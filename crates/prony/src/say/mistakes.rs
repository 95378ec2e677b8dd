//! [`Mistakes`]: what is wrong with an experiment file, a mix or an argument, drawn with its lines.

#[cfg(test)]
mod tests;

use ::say::{Say, Writer};
use model::diagnostic::Rejected;

/// A text that was rejected, with all that is needed to draw what is wrong with it.
#[derive(Debug)]
pub(crate) struct Mistakes {
    /// What is wrong, and where.
    pub(crate) rejected: Rejected,
    /// What the text is called: its file.
    pub(crate) name: String,
    /// The text.
    pub(crate) text: String,
    /// Whether it is drawn in colour.
    pub(crate) colour: bool,
}

impl Say for Mistakes {
    fn say(&self, out: &mut Writer) {
        let Self {
            name, text, colour, ..
        } = self;
        out.value(self.rejected.render_in(out.language(), name, text, *colour));
    }
}
