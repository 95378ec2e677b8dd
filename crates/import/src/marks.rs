//! Marks around what is not known before the load: names of variables and functions, in the texts of a request that is read. They become
//! `${…}` when the step is complete, so that no text of the source is taken for a template.

use crate::draft::{Authorization, Part, Step, StepBody};

/// What stands around a name. No text has these characters, which Unicode leaves to programs.
const MARKS: [char; 2] = ['\u{f8f0}', '\u{f8f1}'];

/// Returns a name in marks.
pub(crate) fn marked(name: &str) -> String {
    format!("{}{name}{}", MARKS[0], MARKS[1])
}

/// Replaces the names in marks by what `value` gives for them.
pub(crate) fn unmarked(text: &str, value: impl Fn(&str) -> String) -> String {
    changed(text, value, str::to_owned)
}

/// Changes what is not in marks.
pub(crate) fn outside_marks(text: &str, change: impl Fn(&str) -> String) -> String {
    changed(text, marked, change)
}

fn changed(text: &str, value: impl Fn(&str) -> String, change: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(MARKS[0]) {
        let (name, behind) = behind.split_once(MARKS[1]).unwrap_or((behind, ""));
        out.push_str(&change(before));
        out.push_str(&value(name));
        rest = behind;
    }
    out + &change(rest)
}

/// Returns the first name in marks.
pub(crate) fn first_variable(text: &str) -> Option<&str> {
    text.split_once(MARKS[0])?.1.split_once(MARKS[1]).map(|(name, _)| name)
}

/// Whether a text has names in marks.
pub(crate) fn has_variable(text: &str) -> bool {
    text.contains(MARKS[0])
}

/// Replaces the names in marks everywhere in a step.
pub(crate) fn resolve(step: &mut Step, value: &dyn Fn(&str) -> String) {
    let resolve = |text: &mut String| {
        if has_variable(text) {
            *text = unmarked(text, value);
        }
    };
    resolve(&mut step.path);
    step.headers.iter_mut().for_each(|(_, value)| resolve(value));
    match &mut step.authorization {
        Some(Authorization::Bearer(token)) => resolve(token),
        Some(Authorization::Basic { user, password }) => {
            resolve(user);
            resolve(password);
        }
        None => {}
    }
    match &mut step.body {
        StepBody::Text(text) => resolve(text),
        StepBody::File { path, .. } => resolve(path),
        StepBody::Form(fields) => fields.iter_mut().for_each(|(_, value)| resolve(value)),
        StepBody::Multipart(parts) => {
            for (_, part) in parts {
                if let Part::Text(text) | Part::TypedText { text, .. } = part {
                    resolve(text);
                }
            }
        }
        StepBody::Nothing => {}
    }
}
