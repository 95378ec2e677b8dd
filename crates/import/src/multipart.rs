//! Reads the parts of a multipart form.

/// A part of a form as it was sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SentPart {
    pub name: String,
    /// The name of the file that is sent; `None` for a field.
    pub file_name: Option<String>,
    /// Where the file is; `None` if the source does not say.
    pub path: Option<String>,
    pub media_type: Option<String>,
    /// The value of a field. The content of a file is often not in the source.
    pub content: String,
}

/// Returns the parts of a body; `None` if it is no multipart form.
pub(crate) fn parts(content_type: &str, body: &str) -> Option<Vec<SentPart>> {
    let boundary = parameter(content_type, "boundary")?;
    let delimiter = format!("--{boundary}");
    let mut parts = Vec::new();
    let mut pieces = body.split(delimiter.as_str());
    pieces.next()?;
    for piece in pieces {
        if piece.starts_with("--") {
            break;
        }
        let piece = piece.trim_start_matches("\r\n");
        let (head, content) = piece.split_once("\r\n\r\n").or_else(|| piece.split_once("\n\n"))?;
        let line = |wanted: &str| {
            let mut lines = head.lines().filter_map(|line| line.split_once(':'));
            lines.find_map(|(name, value)| name.eq_ignore_ascii_case(wanted).then(|| value.trim()))
        };
        let disposition = line("Content-Disposition")?;
        parts.push(SentPart {
            name: parameter(disposition, "name")?,
            file_name: parameter(disposition, "filename"),
            path: None,
            media_type: line("Content-Type").map(str::to_owned),
            content: content.strip_suffix("\r\n").unwrap_or(content).to_owned(),
        });
    }
    (!parts.is_empty()).then_some(parts)
}

/// Returns a parameter of a header: `boundary=x`, `name="a b"`.
fn parameter(header: &str, wanted: &str) -> Option<String> {
    let parameters = header.split(';').skip(1).filter_map(|part| part.trim().split_once('='));
    let mut named = parameters.filter(|(name, _)| name.eq_ignore_ascii_case(wanted));
    named.next().map(|(_, value)| value.trim_matches('"').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_and_files_are_told_apart() {
        let body = "--XX\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\na cat\r\n--XX\r\nContent-Disposition: form-data; \
                    name=\"photo\"; filename=\"cat.png\"\r\nContent-Type: image/png\r\n\r\n\r\n--XX--\r\n";
        let parts = parts("multipart/form-data; boundary=XX", body).expect("parts");
        assert_eq!((parts[0].name.as_str(), parts[0].content.as_str()), ("title", "a cat"));
        assert_eq!(parts[1].file_name.as_deref(), Some("cat.png"));
        assert_eq!(parts[1].media_type.as_deref(), Some("image/png"));
        assert_eq!(super::parts("multipart/form-data", body), None);
        assert_eq!(super::parts("multipart/form-data; boundary=YY", "x"), None);
    }
}
