//! The text of a statement without the values in it, which may be secret and would make equal statements differ.

/// The most characters of a statement that are kept.
const LONGEST: usize = 160;

/// The statement on one line, with `?` for each value and for a list of values, shortened.
pub(super) fn without_values(statement: &str) -> String {
    let mut words = String::new();
    let mut rest = statement.trim();
    while let Some(next) = rest.chars().next() {
        let inside = words.chars().next_back().is_some_and(|last| last.is_alphanumeric() || last == '_');
        let length = match next {
            '\'' => push_value(&mut words, quoted(rest)),
            '$' | '0'..='9' if !inside => push_value(&mut words, value(rest)),
            '-' if rest.starts_with("--") => push_space(&mut words, rest.find('\n').unwrap_or(rest.len())),
            '/' if rest.starts_with("/*") => {
                push_space(&mut words, rest.find("*/").map_or(rest.len(), |end| end + 2))
            }
            '"' => push(&mut words, &rest[..rest[1..].find('"').map_or(rest.len(), |end| end + 2)]),
            _ if next.is_whitespace() => push_space(&mut words, next.len_utf8()),
            _ => push(&mut words, &rest[..next.len_utf8()]),
        };
        rest = &rest[length..];
    }
    shortened(words.trim())
}

fn push(words: &mut String, part: &str) -> usize {
    words.push_str(part);
    part.len()
}

fn push_space(words: &mut String, length: usize) -> usize {
    if !words.ends_with(' ') {
        words.push(' ');
    }
    length
}

/// Adds a value of this length; one of a list joins the one before it.
fn push_value(words: &mut String, length: usize) -> usize {
    let before = words.trim_end_matches([' ', ',']);
    if words.ends_with([' ', ','])
        && before.len() < words.len()
        && before.ends_with('?')
        && words[before.len()..].contains(',')
    {
        words.truncate(before.len());
    } else {
        words.push('?');
    }
    length
}

/// The length of a text in quotes; a doubled quote is a part of it.
fn quoted(text: &str) -> usize {
    let mut end = 1;
    while let Some(at) = text[end..].find('\'') {
        end += at + 1;
        if !text[end..].starts_with('\'') {
            return end;
        }
        end += 1;
    }
    text.len()
}

/// The length of a number or a parameter, or of a text between dollars.
fn value(text: &str) -> usize {
    if let Some(tag) = text[1..].find('$').map(|end| &text[..end + 2]).filter(|_| text.starts_with('$')) {
        let is_tag = tag[1..tag.len() - 1].chars().all(|c| c.is_alphabetic() || c == '_');
        if let Some(end) = text[tag.len()..].find(tag).filter(|_| is_tag) {
            return 2 * tag.len() + end;
        }
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '$' | '_');
    text.find(|c| !is_part(c)).unwrap_or(text.len())
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_left_out_and_names_stay() {
        for (statement, expected) in [
            ("select name from t1 where id = 17", "select name from t1 where id = ?"),
            (
                "select * from a where n = 'O''Neil' and b2 > -1.5e3",
                "select * from a where n = ? and b2 > -?",
            ),
            ("select  *\n from a -- not 5\n where id in (1, 2,3) /* x */", "select * from a where id in (?)"),
            ("insert into a values ($1,$2)", "insert into a values (?)"),
            ("select $body$it's 5$body$, \"Col 1\" from \"T'1\"", "select ?, \"Col 1\" from \"T'1\""),
            ("select 'never ends", "select ?"),
            ("select \"never ends", "select \"never ends"),
            ("select 'é' || x", "select ? || x"),
        ] {
            assert_eq!(without_values(statement), expected);
        }
        assert_eq!(without_values(&"é".repeat(200)), format!("{}…", "é".repeat(160)));
    }
}
