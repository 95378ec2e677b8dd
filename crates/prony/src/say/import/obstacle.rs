//! What keeps a source from becoming a scenario.

use crate::say::{Message, hint, labels, said};
use import::Obstacle;
use report::Lang;

/// Returns all obstacles in a source, each with its place and what to do about it.
pub(crate) fn obstacles(all: &[Obstacle], source: &str, lang: Lang) -> String {
    let mut out = String::new();
    for obstacle in all {
        let Message { message, hint: advice } = said(obstacle, lang);
        out.push_str(&format!("{}{source}: {message}\n", labels(lang).error));
        if let Some(advice) = advice {
            out.push_str(&format!("{}\n", hint(&advice, lang)));
        }
    }
    out
}

/// Returns the line that tells how to import the rest.
pub(crate) fn skip_hint(lang: Lang) -> String {
    let text = match lang {
        Lang::En => "--skip-unsupported imports the rest, and names in the file what it lacks",
        Lang::Zh => "--skip-unsupported 导入其余部分，并在文件中写明缺少什么",
    };
    format!("{}\n", hint(text, lang))
}
