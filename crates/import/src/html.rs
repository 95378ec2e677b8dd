//! Finds the fields of forms in pages.

use html5gum::{Token, Tokenizer};

/// An input of a form, or a `meta` element, with a value that a script or a browser sends back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) value: String,
    /// A regular expression that finds the value in the page.
    pub(crate) pattern: String,
}

/// Returns the hidden fields of a page, and its `meta` elements, in which frameworks put the tokens that scripts send.
pub(crate) fn hidden_fields(page: &str) -> Vec<Field> {
    let mut fields = Vec::new();
    for Ok(token) in Tokenizer::new(page) {
        let Token::StartTag(tag) = token else { continue };
        let element = String::from_utf8_lossy(&tag.name).into_owned();
        let attribute = |name: &str| {
            let value = tag.attributes.get(name.as_bytes())?;
            Some(String::from_utf8_lossy(value).into_owned())
        };
        let (kind, content) = match element.as_str() {
            "input" if attribute("type").is_some_and(|kind| kind.eq_ignore_ascii_case("hidden")) => {
                ("input", "value")
            }
            "meta" => ("meta", "content"),
            _ => continue,
        };
        let (Some(name), Some(value)) = (attribute("name"), attribute(content)) else {
            continue;
        };
        if let Some(pattern) = pattern(page, kind, &name, content, &value) {
            fields.push(Field { name, value, pattern });
        }
    }
    fields
}

/// Returns a regular expression that finds the value of a field, whichever of its attributes comes first; `None` where the page
/// writes the value otherwise than it is sent.
fn pattern(page: &str, element: &str, name: &str, content: &str, value: &str) -> Option<String> {
    let name = escaped(name);
    let named = format!("(?i)<{element}[^>]*\\bname=[\"']{name}[\"'][^>]*\\b{content}=[\"']([^\"']*)[\"']");
    let valued = format!("(?i)<{element}[^>]*\\b{content}=[\"']([^\"']*)[\"'][^>]*\\bname=[\"']{name}[\"']");
    let lower = page.to_ascii_lowercase();
    let opening = format!("<{element}");
    let tags = lower.match_indices(&opening).map(|(start, _)| {
        let end = page[start..].find('>').map_or(page.len(), |end| start + end);
        &page[start..end]
    });
    for tag in tags {
        let find = |attribute: &str, text: &str| {
            let quoted = ['"', '\''].map(|quote| format!("{attribute}={quote}{text}{quote}"));
            quoted.iter().find_map(|quoted| tag.find(quoted.as_str()))
        };
        let plain = name.replace('\\', "");
        if let (Some(named_at), Some(valued_at)) = (find("name", &plain), find(content, value)) {
            return Some(if named_at < valued_at { named } else { valued });
        }
    }
    None
}

/// Escapes what has a meaning in regular expressions.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if "\\.+*?()|[]{}^$#&-~".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_fields_and_meta_elements_are_found() {
        let page = r#"<html><head><meta name="_csrf" content="m-1"><meta charset=utf-8></head>
            <form><input name="user"><INPUT type="hidden" name="a.b" value="1-2"/>
            <input value='x' name="late" type=hidden><input type="hidden" name="odd" value="a&amp;b"></form>"#;
        let fields = hidden_fields(page);
        let found: Vec<(&str, &str)> =
            fields.iter().map(|field| (field.name.as_str(), field.value.as_str())).collect();
        assert_eq!(found, [("_csrf", "m-1"), ("a.b", "1-2"), ("late", "x")]);
        assert!(fields[1].pattern.contains(r"a\.b"), "{}", fields[1].pattern);
        assert!(fields[2].pattern.starts_with("(?i)<input[^>]*\\bvalue="), "{}", fields[2].pattern);
    }
}
