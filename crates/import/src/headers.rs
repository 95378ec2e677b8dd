//! Which headers of a request a scenario has to send.

/// Headers that a client sets by itself for each connection, answer or page.
const OWN: [&str; 26] = [
    "accept-encoding",
    "accept-language",
    "cache-control",
    "connection",
    "content-length",
    "cookie",
    "dnt",
    "expect",
    "host",
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
    "trailer",
    "transfer-encoding",
    "upgrade",
    "upgrade-insecure-requests",
    "user-agent",
    "x-client-data",
];

/// Whether a client sets this header by itself.
pub(crate) fn is_own(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.starts_with(':') || name.starts_with("sec-") || OWN.contains(&name.as_str())
}

/// Moves headers that all of several steps send, with the same value, to the scenario.
pub(crate) fn lift(draft: &mut crate::Draft) {
    let [first, rest @ ..] = draft.steps.as_slice() else {
        return;
    };
    if rest.is_empty() {
        return;
    }
    let is_common = |header: &&(String, String)| {
        rest.iter().all(|step| step.headers.contains(header)) && !header.1.contains("${")
    };
    let common: Vec<(String, String)> = first.headers.iter().filter(is_common).cloned().collect();
    for step in &mut draft.steps {
        step.headers.retain(|header| !common.contains(header));
    }
    draft.headers.extend(common);
}
