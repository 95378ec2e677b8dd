//! The parts of a form that `-F` gives.

use crate::multipart::SentPart;
use crate::remark::Unsupported;

/// The media types that curl gives files by the end of their names.
const MEDIA_TYPES: [(&str, &str); 10] = [
    (".gif", "image/gif"),
    (".jpg", "image/jpeg"),
    (".jpeg", "image/jpeg"),
    (".png", "image/png"),
    (".svg", "image/svg+xml"),
    (".txt", "text/plain"),
    (".htm", "text/html"),
    (".html", "text/html"),
    (".pdf", "application/pdf"),
    (".xml", "application/xml"),
];

/// Reads `name=text;type=application/json`, or `name=@file;type=image/png;filename=cat.png`. Where it is not `structured`, all behind `=` is
/// the text.
///
/// # Errors
///
/// What prony cannot send of it.
pub(super) fn part(value: &str, structured: bool) -> Result<SentPart, Unsupported> {
    let (name, content) = value.split_once('=').unwrap_or((value, ""));
    let part = SentPart { name: name.to_owned(), ..SentPart::default() };
    if !structured {
        return Ok(SentPart { content: content.to_owned(), ..part });
    }
    if content.starts_with('<') {
        return Err(Unsupported::FieldFromFile(name.to_owned()));
    }
    let is_file = content.starts_with('@');
    let mut pieces = pieces(content.strip_prefix('@').unwrap_or(content));
    let content = pieces.remove(0);
    let (mut media_type, mut file_name) = (None, None);
    for piece in &pieces {
        match piece.split_once('=').map(|(key, value)| (key.trim(), value)) {
            Some(("type", value)) => media_type = Some(value.to_owned()),
            Some(("filename", value)) => file_name = Some(value.to_owned()),
            _ => return Err(Unsupported::Option(format!("-F {value}"))),
        }
    }
    if !is_file && file_name.is_none() {
        return Ok(SentPart { content, media_type, ..part });
    }
    if !is_file || content == "-" || content.contains(',') {
        return Err(Unsupported::Option(format!("-F {value}")));
    }
    let base = content.rsplit('/').next().unwrap_or(&content).to_owned();
    let sent = file_name.unwrap_or(base);
    let ends = |(end, _): &&(&str, &str)| sent.to_ascii_lowercase().ends_with(end);
    let usual = MEDIA_TYPES.iter().find(ends).map(|(_, media_type)| (*media_type).to_owned());
    Ok(SentPart { path: Some(content), file_name: Some(sent), media_type: media_type.or(usual), ..part })
}

/// Splits at semicolons that are not in quotes, and takes the quotes away. At least one piece.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut characters = text.chars().peekable();
    let mut is_quoted = false;
    while let Some(c) = characters.next() {
        let last = pieces.len() - 1;
        let begins = pieces[last].is_empty() || pieces[last].ends_with('=');
        match c {
            '"' if is_quoted || begins => is_quoted = !is_quoted,
            '\\' if is_quoted && characters.peek().is_some_and(|next| matches!(next, '"' | '\\')) => {
                pieces[last].extend(characters.next());
            }
            // A semicolon within a text is a part of it unless a parameter follows.
            ';' if !is_quoted && begins_parameter(characters.clone()) => pieces.push(String::new()),
            c => pieces[last].push(c),
        }
    }
    pieces
}

/// Whether what follows is a parameter of a part.
fn begins_parameter(rest: impl Iterator<Item = char>) -> bool {
    let rest: String = rest.take(12).collect();
    ["type=", "filename=", "encoder=", "headers="].iter().any(|key| rest.trim_start().starts_with(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_read_as_curl_does() {
        let text = |content: &str, media_type: Option<&str>| SentPart {
            name: "a".to_owned(),
            content: content.to_owned(),
            media_type: media_type.map(str::to_owned),
            ..SentPart::default()
        };
        for (value, expected) in [
            ("a=1", text("1", None)),
            ("a={\"b\":1};type=application/json", text("{\"b\":1}", Some("application/json"))),
            ("a=x;y", text("x;y", None)),
            ("a=\"x;type=y\"", text("x;type=y", None)),
        ] {
            assert_eq!(part(value, true), Ok(expected), "{value}");
        }
        let file = part("f=@\"b c.png\";filename=\"q\\\"x\"", true).expect("a file");
        assert_eq!((file.path.as_deref(), file.file_name.as_deref()), (Some("b c.png"), Some("q\"x")));
        assert_eq!(part("f=@d/c.png", true).expect("a file").media_type.as_deref(), Some("image/png"));
        assert_eq!(part("a=@x", false), Ok(text("@x", None)));
        assert!(part("a=@x;headers=@y", true).is_err());
    }
}
