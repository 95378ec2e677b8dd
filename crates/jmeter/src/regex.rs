//! Translates JMeter's regular expressions, which are Perl's, to the generator's.

use traffic::scenario::Template;

/// Translates the fixed parts of a pattern. The error tells what is not supported.
pub(crate) fn translated(pattern: &Template) -> Result<Template, String> {
    let mut found = Template::default();
    let mut in_class = false;
    for part in pattern.parts() {
        match part.as_literal() {
            Some(text) => found.push_literal(&translate(text, &mut in_class)),
            None => found.push(part.clone()),
        }
    }
    if let Some(fixed) = found.as_literal() {
        regex::bytes::Regex::new(fixed).map_err(|error| reason(fixed, &error))?;
    }
    Ok(found)
}

fn reason(pattern: &str, error: &regex::Error) -> String {
    let around = ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|start| pattern.contains(start));
    if around {
        return "it looks around".to_owned();
    }
    let shown = error.to_string();
    shown.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

/// In Perl, `{` is a brace unless a number follows, and within `[…]`, `[` and `&` are themselves.
fn translate(text: &str, in_class: &mut bool) -> String {
    let mut found = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    let mut at = 0;
    while let Some(c) = rest.next() {
        at += c.len_utf8();
        match c {
            '\\' => {
                let next = rest.next().unwrap_or('\\');
                at += next.len_utf8();
                match next {
                    'Z' => found.push_str("\\z"),
                    '<' | '>' | '/' | '"' | '\'' | ',' | ';' | ':' | '=' | '!' | '@' | '%' | '_' | '`' => {
                        found.push(next)
                    }
                    other => found.extend(['\\', other]),
                }
            }
            '[' if !*in_class => {
                *in_class = true;
                found.push(c);
                if rest.next_if_eq(&'^').is_some() {
                    at += 1;
                    found.push('^');
                }
                // A bracket at the begin of a class is one of its characters.
                if rest.next_if_eq(&']').is_some() {
                    at += 1;
                    found.push_str("\\]");
                }
            }
            ']' if *in_class => {
                *in_class = false;
                found.push(c);
            }
            '[' | '&' | '~' if *in_class => found.extend(['\\', c]),
            '{' if !*in_class && !is_count(&text[at..]) => found.push_str("\\{"),
            '}' if !*in_class && !ends_count(&text[..at - 1]) => found.push_str("\\}"),
            c => found.push(c),
        }
    }
    found
}

/// Whether `2}`, `2,}` or `2,3}` follows.
fn is_count(rest: &str) -> bool {
    let Some(end) = rest.find('}') else {
        return false;
    };
    let inside = &rest[..end];
    inside.starts_with(|c: char| c.is_ascii_digit()) && inside.chars().all(|c| c.is_ascii_digit() || c == ',')
}

fn ends_count(before: &str) -> bool {
    before.rfind('{').is_some_and(|open| {
        let inside = &before[open + 1..];
        inside.starts_with(|c: char| c.is_ascii_digit())
            && inside.chars().all(|c| c.is_ascii_digit() || c == ',')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_of_perl_are_translated() {
        for (perl, ours) in [
            (r#"{"id":(\d{1,3})}"#, r#"\{"id":(\d{1,3})\}"#),
            (r#"name=\"x\" value=\"(.+?)\"\/>"#, r#"name="x" value="(.+?)"/>"#),
            ("[^[]+[]a]", r"[^\[]+[\]a]"),
            ("a{2}b{,x}", r"a{2}b\{,x\}"),
        ] {
            let translated =
                translated(&Template::literal(perl)).unwrap_or_else(|why| panic!("{perl}: {why}"));
            assert_eq!(translated.as_literal(), Some(ours), "{perl}");
        }
    }

    #[test]
    fn what_is_not_supported_is_told() {
        let why = translated(&Template::literal("(?<=a)b")).expect_err("a look-behind");
        assert_eq!(why, "it looks around");
        assert!(translated(&Template::literal("(a")).is_err());
    }
}
