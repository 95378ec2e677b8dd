//! [`Mistakes`]: what is wrong with an experiment file, a mix or an argument, drawn with its lines.

#[cfg(test)]
mod tests;

use crate::failure::Failure;
use ask::diagnostic::Rejected;
use say::{Say, Writer};
use std::path::Path;

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

/// Returns a function that turns what is wrong with the text of a file into a failure.
pub(crate) fn in_file(file: &Path, text: &str, colour: bool) -> impl FnOnce(Rejected) -> Failure {
    let (name, text) = (file.display().to_string(), text.to_owned());
    move |rejected| Failure::usage(Mistakes { rejected, name, text, colour })
}

/// Mistakes with their lines and carets.
struct Drawn<'a>(&'a Mistakes);

impl Say for Drawn<'_> {
    fn say(&self, out: &mut Writer) {
        let Mistakes { rejected, name, text, colour } = self.0;
        out.value(rejected.render_in(out.language(), name, text, *colour));
    }
}
