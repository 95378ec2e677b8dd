//! [`Patterns`]: regular expressions and JSONPaths, each compiled when it is first used.

use regex::bytes::Regex;
use std::collections::HashMap;
use traffic::scenario::JsonPath;

/// More patterns than this are made by variables in them; then all are forgotten.
const MOST: usize = 2000;

/// Regular expressions and JSONPaths by their texts. `None` stands for a text that is none.
#[derive(Debug, Default)]
pub(crate) struct Patterns {
    regexes: HashMap<String, Option<Regex>>,
    paths: HashMap<String, Option<JsonPath>>,
}

impl Patterns {
    /// A regular expression.
    pub(crate) fn regex(&mut self, text: &str) -> Option<&Regex> {
        if !self.regexes.contains_key(text) {
            if self.regexes.len() >= MOST {
                self.regexes.clear();
            }
            self.regexes.insert(text.to_owned(), Regex::new(text).ok());
        }
        self.regexes.get(text)?.as_ref()
    }

    /// A regular expression that has to fit a whole text.
    pub(crate) fn whole_regex(&mut self, text: &str) -> Option<&Regex> {
        self.regex(&format!("\\A(?:{text})\\z"))
    }

    /// A JSONPath.
    pub(crate) fn path(&mut self, text: &str) -> Option<&JsonPath> {
        if !self.paths.contains_key(text) {
            if self.paths.len() >= MOST {
                self.paths.clear();
            }
            self.paths.insert(text.to_owned(), JsonPath::parse(text).ok());
        }
        self.paths.get(text)?.as_ref()
    }
}
