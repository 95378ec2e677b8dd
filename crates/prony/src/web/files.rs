//! The files under `web/`, which are embedded into the binary. Only paths in these tables are served; nothing is read from the disk.

use axum::Router;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::IntoResponse;
use axum::routing::get;

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const JSON: &str = "application/json";

/// An embedded file: its URL path, its content type and its text.
pub(super) type EmbeddedFile = (&'static str, &'static str, &'static str);

/// Embeds a file under `web/` of the repository.
macro_rules! web {
    ($name:literal) => {
        include_str!(concat!("../../../../web/", $name))
    };
}

/// The files that all pages share.
const SHARED: [EmbeddedFile; 4] = [
    ("/style.css", CSS, web!("style.css")),
    ("/live.css", CSS, web!("live.css")),
    ("/words.js", SCRIPT, web!("words.js")),
    ("/page.js", SCRIPT, web!("page.js")),
];

/// The files of the live page.
pub(super) const LIVE: [EmbeddedFile; 7] = [
    ("/", HTML, web!("live.html")),
    ("/uPlot.min.css", CSS, web!("uplot/uPlot.min.css")),
    ("/uPlot.iife.min.js", SCRIPT, web!("uplot/uPlot.iife.min.js")),
    ("/touch.js", SCRIPT, web!("touch.js")),
    ("/live.js", SCRIPT, web!("live.js")),
    ("/narrowing.js", SCRIPT, web!("narrowing.js")),
    ("/pulse.js", SCRIPT, web!("pulse.js")),
];

/// The files of the pages of stored runs.
pub(super) const STORED: [EmbeddedFile; 7] = [
    ("/", HTML, web!("runs.html")),
    ("/runs.js", SCRIPT, web!("runs.js")),
    ("/pair", HTML, web!("pair.html")),
    ("/pair.js", SCRIPT, web!("pair.js")),
    ("/history", HTML, web!("history.html")),
    ("/history.js", SCRIPT, web!("history.js")),
    ("/plot.css", CSS, web!("plot.css")),
];

/// Returns routes to the files that all pages share and to `files`.
pub(super) fn routes<S: Clone + Send + Sync + 'static>(files: &[EmbeddedFile]) -> Router<S> {
    let all = SHARED.iter().chain(files);
    let words = Router::new().route("/words.json", get(async || response(JSON, report::web::words())));
    all.fold(words, |router, &(path, kind, text)| router.route(path, get(async move || response(kind, text))))
}

/// Returns a response that browsers do not cache, because the next prony on this port may be another version.
fn response<T: IntoResponse>(kind: &'static str, text: T) -> impl IntoResponse {
    ([(CONTENT_TYPE, kind), (CACHE_CONTROL, "no-cache")], text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::collections::BTreeSet;

    /// Returns the names of the placeholders in a text, such as `n` for `{n}`.
    fn placeholders(text: &str) -> BTreeSet<&str> {
        let parts = text.split('{').skip(1);
        parts.filter_map(|part| Some(part.split_once('}')?.0)).collect()
    }

    #[test]
    fn every_text_exists_in_both_languages_with_the_same_placeholders() {
        let words: Value = serde_json::from_str(&report::web::words()).expect("JSON");
        for (key, texts) in words.as_object().expect("an object") {
            let texts = texts.as_object().expect("languages");
            let languages: Vec<&str> = texts.keys().map(String::as_str).collect();
            assert_eq!(languages, ["en", "zh"], "{key}");
            let [english, chinese] = ["en", "zh"].map(|language| texts[language].as_str().expect("a text"));
            assert_eq!(placeholders(english), placeholders(chinese), "{key}");
            assert!(!english.is_empty() && !chinese.is_empty(), "{key}");
        }
    }

    /// Returns the names of the words that a script or a page uses.
    fn used_words(text: &str) -> Vec<&str> {
        let after = |mark: &str| -> Vec<&str> {
            let parts = text.split(mark).skip(1);
            parts.filter_map(|part| part.split(['"', '\'']).next()).collect()
        };
        [after("words.say('"), after("data-word=\"")].concat()
    }

    #[test]
    fn every_word_that_is_used_exists_and_every_word_is_used() {
        let words: Value = serde_json::from_str(&report::web::words()).expect("JSON");
        let known: BTreeSet<&str> =
            words.as_object().expect("an object").keys().map(String::as_str).collect();
        let all = SHARED.iter().chain(&LIVE).chain(&STORED);
        let used: BTreeSet<&str> = all.flat_map(|(.., text)| used_words(text)).collect();
        // Scripts complete a name that ends in a dot, such as `verdict.`, with a value.
        let prefixes: Vec<&str> = used.iter().copied().filter(|word| word.ends_with('.')).collect();
        let missing: Vec<&&str> =
            used.iter().filter(|word| !word.ends_with('.') && !known.contains(*word)).collect();
        assert!(missing.is_empty(), "{missing:?}");
        let unused: Vec<&&str> = known
            .iter()
            .filter(|word| !used.contains(*word) && !prefixes.iter().any(|prefix| word.starts_with(prefix)))
            .collect();
        assert!(unused.is_empty(), "never used: {unused:?}");
    }

    #[test]
    fn no_page_loads_anything_from_another_host() {
        for (path, _, text) in SHARED.iter().chain(&LIVE).chain(&STORED) {
            let elsewhere = ["src=\"http", "href=\"http", "src=\"//", "href=\"//", "url(http"];
            for what in elsewhere {
                assert!(!text.contains(what), "{path} has {what}");
            }
            // The content security policy blocks both.
            assert!(!text.contains(" style=\"") && !text.contains(" onclick="), "{path}");
        }
    }
}
