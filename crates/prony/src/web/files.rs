//! The files under `web/`, embedded. A path either is in this table or is not found: nothing is looked up on the disk.

use axum::Router;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::IntoResponse;
use axum::routing::get;

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const JSON: &str = "application/json";

/// Where it is served, its type, its text.
pub(super) type File = (&'static str, &'static str, &'static str);

/// A file under `web/` of the repository.
macro_rules! web {
    ($name:literal) => {
        include_str!(concat!("../../../../web/", $name))
    };
}

/// What all pages share.
const SHARED: [File; 4] = [
    ("/style.css", CSS, web!("style.css")),
    ("/live.css", CSS, web!("live.css")),
    ("/words.js", SCRIPT, web!("words.js")),
    ("/page.js", SCRIPT, web!("page.js")),
];

/// The page of a run.
pub(super) const LIVE: [File; 7] = [
    ("/", HTML, web!("live.html")),
    ("/uPlot.min.css", CSS, web!("uplot/uPlot.min.css")),
    ("/uPlot.iife.min.js", SCRIPT, web!("uplot/uPlot.iife.min.js")),
    ("/touch.js", SCRIPT, web!("touch.js")),
    ("/live.js", SCRIPT, web!("live.js")),
    ("/narrowing.js", SCRIPT, web!("narrowing.js")),
    ("/pulse.js", SCRIPT, web!("pulse.js")),
];

/// The pages of stored runs.
pub(super) const STORED: [File; 4] = [
    ("/", HTML, web!("runs.html")),
    ("/runs.js", SCRIPT, web!("runs.js")),
    ("/pair", HTML, web!("pair.html")),
    ("/pair.js", SCRIPT, web!("pair.js")),
];

/// Routes to what all pages share and to `own`.
pub(super) fn routes<S: Clone + Send + Sync + 'static>(own: &[File]) -> Router<S> {
    let all = SHARED.iter().chain(own);
    let words = Router::new().route("/words.json", get(async || sent(JSON, report::web::words())));
    all.fold(words, |router, &(path, kind, text)| {
        router.route(path, get(async move || sent(kind, text)))
    })
}

/// `no-cache`: the next prony on this port may be another version.
fn sent<T: IntoResponse>(kind: &'static str, text: T) -> impl IntoResponse {
    ([(CONTENT_TYPE, kind), (CACHE_CONTROL, "no-cache")], text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::collections::BTreeSet;

    /// What a text leaves open, as `{n}`.
    fn gaps(text: &str) -> BTreeSet<&str> {
        let parts = text.split('{').skip(1);
        parts.filter_map(|part| Some(part.split_once('}')?.0)).collect()
    }

    #[test]
    fn every_text_is_there_in_every_language_with_the_same_gaps() {
        let words: Value = serde_json::from_str(&report::web::words()).expect("JSON");
        for (key, texts) in words.as_object().expect("an object") {
            let texts = texts.as_object().expect("languages");
            let languages: Vec<&str> = texts.keys().map(String::as_str).collect();
            assert_eq!(languages, ["en", "zh"], "{key}");
            let [english, chinese] = ["en", "zh"].map(|language| texts[language].as_str().expect("a text"));
            assert_eq!(gaps(english), gaps(chinese), "{key}");
            assert!(!english.is_empty() && !chinese.is_empty(), "{key}");
        }
    }

    /// The words that a script or a page asks for by name.
    fn asked_for(text: &str) -> Vec<&str> {
        let after = |mark: &str| -> Vec<&str> {
            let parts = text.split(mark).skip(1);
            parts.filter_map(|part| part.split(['"', '\'']).next()).collect()
        };
        [after("words.say('"), after("data-word=\"")].concat()
    }

    #[test]
    fn every_word_that_is_asked_for_is_there_and_every_word_is_asked_for() {
        let words: Value = serde_json::from_str(&report::web::words()).expect("JSON");
        let known: BTreeSet<&str> = words
            .as_object()
            .expect("an object")
            .keys()
            .map(String::as_str)
            .collect();
        let all = SHARED.iter().chain(&LIVE).chain(&STORED);
        let asked: BTreeSet<&str> = all.flat_map(|(.., text)| asked_for(text)).collect();
        // Names that are put together end in a dot here: `verdict.` and what was found.
        let begun: Vec<&str> = asked.iter().copied().filter(|word| word.ends_with('.')).collect();
        let missing: Vec<&&str> = asked
            .iter()
            .filter(|word| !word.ends_with('.') && !known.contains(*word))
            .collect();
        assert!(missing.is_empty(), "{missing:?}");
        let idle: Vec<&&str> = known
            .iter()
            .filter(|word| !asked.contains(*word) && !begun.iter().any(|begin| word.starts_with(begin)))
            .collect();
        assert!(idle.is_empty(), "never asked for: {idle:?}");
    }

    #[test]
    fn no_page_names_another_place() {
        for (path, _, text) in SHARED.iter().chain(&LIVE).chain(&STORED) {
            let elsewhere = ["src=\"http", "href=\"http", "src=\"//", "href=\"//", "url(http"];
            for what in elsewhere {
                assert!(!text.contains(what), "{path} has {what}");
            }
            // The policy refuses these, so they would do nothing.
            assert!(
                !text.contains(" style=\"") && !text.contains(" onclick="),
                "{path}"
            );
        }
    }
}
