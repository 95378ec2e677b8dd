//! Reads plans that are no XML by the letter, and that JMeter reads all the same: it allows all characters, and stops reading behind the
//! tree of elements.

use std::borrow::Cow;

/// Characters that XML does not allow stand as private ones of Unicode from here on while a plan is parsed.
const PRIVATE: u32 = 0xE700;

fn is_refused(code: u32) -> bool {
    code < 0x20 && !matches!(code, 0x9 | 0xA | 0xD)
}

/// Puts characters that XML allows in the place of those that it does not.
pub(super) fn with_allowed_characters(text: &str) -> Cow<'_, str> {
    let has_refused = text.chars().any(|c| is_refused(c.into()));
    if !has_refused && !text.contains("&#") {
        return Cow::Borrowed(text);
    }
    let stand_in = |code: u32| char::from_u32(PRIVATE + code).unwrap_or_default();
    let mut allowed = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (length, c) = match reference(rest) {
            Some((length, code)) if is_refused(code) => (length, stand_in(code)),
            _ if is_refused(c.into()) => (c.len_utf8(), stand_in(c.into())),
            _ => (c.len_utf8(), c),
        };
        allowed.push(c);
        rest = &rest[length..];
    }
    Cow::Owned(allowed)
}

/// Reads a numeric reference with which a text begins: its length in bytes, and the number of the character.
fn reference(text: &str) -> Option<(usize, u32)> {
    let digits = text.strip_prefix("&#")?;
    let end = digits.find(';')?;
    let code = match digits[..end].strip_prefix('x') {
        Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
        None => digits[..end].parse(),
    };
    Some((end + 3, code.ok()?))
}

/// Returns the character that the plan has.
pub(super) fn as_written(c: char) -> char {
    let code = u32::from(c).checked_sub(PRIVATE).filter(|code| is_refused(*code));
    code.and_then(char::from_u32).unwrap_or(c)
}

/// Returns the name of the outermost element if it is not that of a plan. Behind another one, a file need not be XML.
pub(super) fn other_root(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        let end = match rest {
            _ if rest.starts_with("<!--") => "-->",
            _ if rest.starts_with("<?") || rest.starts_with("<!") => ">",
            _ => break,
        };
        rest = rest[rest.find(end)? + end.len()..].trim_start();
    }
    let name = rest.strip_prefix('<')?;
    let name = &name[..name.find(|c: char| c.is_whitespace() || matches!(c, '>' | '/'))?];
    (!name.is_empty() && name != "jmeterTestPlan").then_some(name)
}

/// Returns a plan without what follows behind its tree of elements; `None` where it has no such tree.
pub(super) fn without_rest(text: &str) -> Option<String> {
    let (mut depth, mut at) = (0, 0);
    while let Some(begin) = text[at..].find('<').map(|found| at + found) {
        let markup = &text[begin..];
        let end = |mark: &str| markup.find(mark).map(|found| begin + found + mark.len());
        if markup.starts_with("<!--") {
            at = end("-->")?;
        } else if markup.starts_with("<![CDATA[") {
            at = end("]]>")?;
        } else if markup.starts_with("<?") || markup.starts_with("<!") {
            at = end(">")?;
        } else {
            at = end_of_tag(text, begin)?;
            let is_end = markup.starts_with("</");
            if is_end {
                depth -= 1;
            } else if !text[..at].ends_with("/>") {
                depth += 1;
            }
            if is_end && depth == 1 && markup.starts_with("</hashTree") {
                return Some(format!("{}</jmeterTestPlan>", &text[..at]));
            }
        }
    }
    None
}

/// The place behind a tag; a mark in quotes does not end it.
fn end_of_tag(text: &str, begin: usize) -> Option<usize> {
    let mut quote = None;
    for (at, c) in text[begin..].char_indices() {
        match (c, quote) {
            ('>', None) => return Some(begin + at + 1),
            ('"' | '\'', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::Element;

    #[test]
    fn what_jmeter_reads_is_read() {
        let plan = |value: &str, end: &str| {
            format!(
                "<?xml version=\"1.0\"?>\n<!-- <hashTree> --><jmeterTestPlan><hashTree><TestPlan testname=\"a > b\"><stringProp \
                name=\"x\">{value}</stringProp></TestPlan><hashTree/></hashTree>{end}"
            )
        };
        for (value, read) in
            [("a&#x0;b&#1;c", "a\0b\u{1}c"), ("\u{1b}&#27;&#9;", "\u{1b}\u{1b}\t"), ("&#x41;&amp;", "A&")]
        {
            let root = Element::parse(&plan(value, "</jmeterTestPlan>")).expect("a plan");
            assert_eq!(root.children[0].object.text("x"), read);
        }
        for end in ["</hashTree>\n</jmeterTestPlan>", "", "</jmeterTestPlan>\n<a/>", "<b></jmeterTestPlan>"] {
            let root = Element::parse(&plan("1", end)).expect("a plan");
            assert_eq!(root.children[0].object.text("x"), "1", "{end}");
        }
        for wrong in [
            plan("<b>", "</jmeterTestPlan>"),
            plan("&nbsp;", "</jmeterTestPlan>"),
            "<a".to_owned(),
            "1,2".to_owned(),
        ] {
            assert!(Element::parse(&wrong).is_err(), "{wrong}");
        }
        let other = Element::parse("<?xml version=\"1.0\"?>\n<stringProp name=\"a\">1</stringProp>\n<b")
            .expect_err("no plan");
        assert_eq!(other, crate::error::Error::NoPlan { root: "stringProp".to_owned() });
    }
}
