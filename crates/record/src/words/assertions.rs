//! Assertions for the tests of sentences.

use say::{Language, Say, text};
use std::collections::BTreeSet;

/// Words that are in Latin letters in Chinese sentences: units, usual abbreviations, names of programs and classes.
const SAME_IN_CHINESE: &[&str] = &[
    "AccessLogValve",
    "AsyncRequestLogWriter",
    "B",
    "Boot",
    "CPU",
    "Connector",
    "DBCP",
    "Fisher",
    "GC",
    "GOAWAY",
    "Gbit",
    "Guava",
    "HEAD",
    "HPACK",
    "HikariCP",
    "JDK",
    "JIT",
    "JVM",
    "KiB",
    "LimitNOFILE",
    "Linux",
    "Mbit",
    "MiB",
    "Nagle",
    "ORM",
    "PostgreSQL",
    "QueuedThreadPool",
    "Redis",
    "ReentrantLock",
    "ReentrantReadWriteLock",
    "SYN",
    "Spring",
    "TLS",
    "UCP",
    "UpgradeProtocol",
    "aarch64",
    "accept",
    "appender",
    "backlog",
    "e",
    "maxThreads",
    "ms",
    "ns",
    "p",
    "prony",
    "s",
    "shards",
    "ssh",
    "systemd",
];

/// Asserts that these values are said in both languages with the same numbers, and that no two have the same sentence in either.
pub(crate) fn assert_said_apart<T: Say>(values: &[T]) {
    let [english, chinese] = [Language::En, Language::Zh]
        .map(|language| values.iter().map(|value| text(value, language)).collect());
    assert_told_apart(&english);
    assert_told_apart(&chinese);
    for (english, chinese) in english.iter().zip(&chinese) {
        assert_said_in_both_languages(english, chinese);
    }
}

fn assert_told_apart(said: &Vec<String>) {
    let distinct: BTreeSet<&String> = said.iter().collect();
    assert_eq!(distinct.len(), said.len(), "{said:#?}");
}

/// Asserts that the Chinese sentence is Chinese, and has the same numbers as the English one.
fn assert_said_in_both_languages(english: &str, chinese: &str) {
    assert!(chinese.chars().any(|c| c > '\u{4e00}'), "{chinese}");
    assert_eq!(numbers(english), numbers(chinese), "{english}\n{chinese}");
    // Code is between backticks; names of files, classes, settings and measures have points, slashes or underscores.
    let text = chinese.split('`').step_by(2).collect::<String>();
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || "._/-".contains(c)));
    for word in words.filter(|word| word.contains(|c: char| c.is_ascii_alphabetic())) {
        let is_name = word.contains(['.', '/', '-', '_']);
        let word = word.trim_start_matches(|c: char| c.is_ascii_digit());
        assert!(is_name || SAME_IN_CHINESE.contains(&word), "`{word}` in {chinese}");
    }
}

/// All numbers of a text, in order of size.
fn numbers(text: &str) -> Vec<&str> {
    let digits = text.split(|c: char| !(c.is_ascii_digit() || c == '.'));
    let mut numbers: Vec<&str> =
        digits.filter(|digits| digits.contains(|c: char| c.is_ascii_digit())).collect();
    numbers.sort_unstable();
    numbers
}
