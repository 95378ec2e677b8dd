//! Reads command lines of curl, as people type them, as scripts and documents have them, and as browsers copy them: for bash, for cmd.exe and
//! for PowerShell.

mod call;
mod cmd;
mod flags;
mod form;
mod markdown;
mod powershell;
mod script;
mod shell;
mod step;

use crate::draft::Draft;
use crate::request::StepMaker;
use crate::{Imported, Options};
pub(crate) use markdown::has_code;

/// What writes a command line, and so how it is split into words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    Bash,
    Cmd,
    PowerShell,
}

impl Dialect {
    fn of(text: &str) -> Self {
        let has = |word: &str| text.to_ascii_lowercase().contains(word);
        let ends_with =
            |end: &str| text.lines().any(|line| line.trim_end().ends_with(end) && line.contains("curl"));
        if powershell::CALLS.iter().any(|call| has(call)) || ends_with(" `") {
            Self::PowerShell
        } else if text.contains("^\"") || ends_with(" ^") {
            Self::Cmd
        } else {
            Self::Bash
        }
    }
}

pub(crate) fn import(text: &str, options: &Options) -> Imported {
    let mut maker = StepMaker::new(options.keeps_secrets);
    let drawn = has_code(text).then(|| markdown::calls(text));
    let text = drawn.as_deref().unwrap_or(text);
    let keeps_cookies = match Dialect::of(text) {
        Dialect::Bash => script::read(text, options, &mut maker),
        Dialect::Cmd => cmd::read(text, &mut maker),
        Dialect::PowerShell => powershell::read(text, &mut maker),
    };
    let draft = Draft {
        name: options.name.clone(),
        is_independent: true,
        drops_cookies: !keeps_cookies,
        ..Draft::default()
    };
    maker.finish(draft)
}

#[cfg(test)]
mod tests;
