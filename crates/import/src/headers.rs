//! Which headers of a request a scenario has to send.

/// Headers that a browser sets by itself for each connection, answer or page. What a browser copies or records has them, and what people write
/// by hand has them only if they want them.
const OF_BROWSERS: [&str; 21] = [
    "accept-encoding",
    "accept-language",
    "cache-control",
    "connection",
    "cookie",
    "dnt",
    "if-modified-since",
    "if-none-match",
    "keep-alive",
    "origin",
    "pragma",
    "priority",
    "proxy-authorization",
    "proxy-connection",
    "referer",
    "save-data",
    "te",
    "upgrade",
    "upgrade-insecure-requests",
    "user-agent",
    "x-client-data",
];

/// Who has chosen the headers of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Author {
    /// Somebody who wrote them: all are sent.
    #[default]
    Hand,
    /// A browser, whose own headers are left out.
    Browser,
}

impl Author {
    /// Tells who has sent a request that was recorded: browsers name themselves.
    pub(crate) fn of_recorded(headers: &[(String, String)]) -> Self {
        let is_browsers = |(name, value): &(String, String)| {
            let name = name.to_ascii_lowercase();
            name.starts_with("sec-fetch-") || name == "user-agent" && value.starts_with("Mozilla/")
        };
        if headers.iter().any(is_browsers) { Self::Browser } else { Self::Hand }
    }
}

/// Whether a browser sets this header by itself.
pub(crate) fn is_of_browsers(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.starts_with("sec-") || OF_BROWSERS.contains(&name.as_str())
}

/// Whether a text can be the name of a header (RFC 9110 section 5.6.2).
pub(crate) fn is_name(text: &str) -> bool {
    let is_mark = |byte: u8| b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || is_mark(byte))
}

/// Moves headers that all of several steps send, once and with the same value, to the scenario.
pub(crate) fn lift(draft: &mut crate::Draft) {
    let [first, rest @ ..] = draft.steps.as_slice() else {
        return;
    };
    if rest.is_empty() {
        return;
    }
    let has_once = |step: &crate::Step, header: &(String, String)| {
        let same = step.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case(&header.0));
        step.headers.contains(header) && same.count() == 1
    };
    let is_common = |header: &&(String, String)| {
        has_once(first, header) && rest.iter().all(|step| has_once(step, header)) && !header.1.contains("${")
    };
    let common: Vec<(String, String)> = first.headers.iter().filter(is_common).cloned().collect();
    for step in &mut draft.steps {
        step.headers.retain(|header| !common.contains(header));
    }
    draft.headers.extend(common);
}
