//! What is taken from answers, and what makes them right.

use super::{Reader, place_in};
use crate::diagnostic::Diagnostic;
use crate::node::{Node, Table, Value};
use crate::slip::{Advice, ExpectedValue, Hint, ScenarioSlip};
use std::ops::RangeInclusive;
use traffic::scenario::{
    AnswerCheck, AnswerPart, AnswerSize, Comparison, ExtractFrom, Extractor, Found, GroupText, IfMissing,
    JsonPath, SessionRequest, Template, TextTest, Which,
};

impl Reader<'_> {
    /// Reads `extract`.
    pub(super) fn extractors(&mut self, node: &Node) -> Vec<Extractor> {
        let mut extractors = Vec::new();
        for (name, value) in self.entries(node, "{ token = { json = \"$.token\" } }") {
            extractors.extend(self.extractor(name, value));
        }
        extractors
    }

    fn extractor(&mut self, name: &Node, node: &Node) -> Option<Extractor> {
        let mut table = self.open(node, "extract")?;
        let from = self.extract_from(node, &mut table);
        let which = self.read(&mut table, "match", which).unwrap_or(Which::Number(1));
        let missing = match table.get("default") {
            Some(default) => IfMissing::Default(self.scalar(default)),
            None => self.read(&mut table, "missing", missing).unwrap_or(IfMissing::Fail),
        };
        table.finish(&mut self.problems);
        let slot = self.define(name)?;
        let into = match which {
            Which::All => Found::List(self.program.lists.define(name.text().unwrap_or_default())),
            _ => Found::Variable(slot),
        };
        Some(Extractor { from: from?, which, into, missing })
    }

    /// Reads the one key that says how something is found.
    fn extract_from(&mut self, node: &Node, table: &mut Table<'_>) -> Option<ExtractFrom> {
        const WAYS: [&str; 5] = ["json", "regex", "header", "cookie", "between"];
        let mut present = Vec::new();
        for key in WAYS {
            if let Some(value) = table.get(key) {
                present.push((key, value));
            }
        }
        let part = AnswerPart::Body;
        let [(way, value)] = present[..] else {
            self.refuse(node.refuse(ScenarioSlip::Extractor).hint(Advice::OneExtractor));
            return None;
        };
        Some(match way {
            "json" => ExtractFrom::Json { part, path: self.json_path(value) },
            "regex" => {
                let (pattern, groups) = self.regex(value);
                ExtractFrom::Regex { part, pattern, text: vec![GroupText::Group(groups.min(1))] }
            }
            "header" => ExtractFrom::Header(self.text_of(value)?),
            "cookie" => ExtractFrom::Cookie(self.text_of(value)?),
            _ => {
                let [left, right] = value.list().ok().unwrap_or_default() else {
                    self.refuse(
                        value.expected(ExpectedValue::Values(2)).hint(Hint::write("[\"<b>\", \"</b>\"]")),
                    );
                    return None;
                };
                ExtractFrom::Between { part, left: self.template(left), right: self.template(right) }
            }
        })
    }

    /// Reads a JSONPath; one without variables is checked.
    fn json_path(&mut self, node: &Node) -> Template {
        let path = self.template(node);
        if let Some(Err(mistake)) = path.as_literal().map(JsonPath::parse) {
            let text = path.as_literal().unwrap_or_default();
            let slip = ScenarioSlip::JsonPath(text[mistake.at..].to_owned());
            let span = place_in(node, text, mistake.at..text.len());
            self.refuse(Diagnostic::new(span, slip).hint(Hint::for_example("\"$.items[0].id\"")));
        }
        path
    }

    /// Reads a regular expression; one without variables is checked. Returns the number of its groups, too.
    fn regex(&mut self, node: &Node) -> (Template, usize) {
        let pattern = self.template(node);
        let mut groups = 1;
        if let Some(text) = pattern.as_literal() {
            match regex::bytes::Regex::new(text) {
                Ok(regex) => groups = regex.captures_len() - 1,
                Err(error) => {
                    // The last line of the message has the words; those before it draw the pattern.
                    let words = error.to_string();
                    let last = words.lines().last().unwrap_or_default();
                    let why = last.trim_start_matches("error: ").to_owned();
                    self.refuse(node.refuse(ScenarioSlip::Regex(why)));
                }
            }
        }
        (pattern, groups)
    }

    /// Reads `check`.
    pub(super) fn checks(&mut self, node: &Node, request: &mut SessionRequest) {
        let Some(mut table) = self.open(node, "check") else {
            return;
        };
        if let Some(statuses) = self.read(&mut table, "status", statuses) {
            request.statuses = statuses;
        }
        self.text_checks(&mut table, request);
        self.field_checks(&mut table, request);
        if let Some(within) = self.read(&mut table, "within", Node::duration) {
            request.checks.push(AnswerCheck::Within(within));
        }
        if let Some(node) = table.get("size") {
            self.size(node, request);
        }
        table.finish(&mut self.problems);
    }

    /// Reads the checks of the body as a text.
    fn text_checks(&mut self, table: &mut Table<'_>, request: &mut SessionRequest) {
        const TEXTS: [(&str, TextTest, bool); 4] = [
            ("contains", TextTest::Contains, false),
            ("not_contains", TextTest::Contains, true),
            ("matches", TextTest::Finds, false),
            ("equals", TextTest::Equals, false),
        ];
        for (key, test, not) in TEXTS {
            let Some(node) = table.get(key) else { continue };
            let nodes = match &node.value {
                Value::List(list) => list.iter().collect(),
                _ => vec![node],
            };
            let mut pattern = |node: &Node| match test {
                TextTest::Finds => self.regex(node).0,
                _ => self.template(node),
            };
            request.checks.push(AnswerCheck::Text {
                part: AnswerPart::Body,
                test,
                patterns: nodes.into_iter().map(&mut pattern).collect(),
                any: false,
                not,
            });
        }
    }

    /// Reads the checks of values in JSON and of headers.
    fn field_checks(&mut self, table: &mut Table<'_>, request: &mut SessionRequest) {
        if let Some(node) = table.get("json") {
            for (path, value) in self.entries(node, "{ \"$.state\" = \"open\" }") {
                let path = self.json_path(path);
                let expected = Some((TextTest::Equals, self.scalar(value)));
                request.checks.push(AnswerCheck::Json { path, expected, not: false });
            }
        }
        if let Some(node) = table.get("header") {
            for (name, value) in self.entries(node, "{ Content-Type = \"application/json\" }") {
                let value = self.scalar(value);
                request.checks.push(AnswerCheck::Text {
                    part: AnswerPart::Header(name.text().unwrap_or_default().to_owned()),
                    test: TextTest::Contains,
                    patterns: vec![value],
                    any: false,
                    not: false,
                });
            }
        }
    }

    /// Reads `size`: a number of bytes, or `{ min, max }`.
    fn size(&mut self, node: &Node, request: &mut SessionRequest) {
        let mut add = |how, bytes: u64| {
            let bytes = Template::literal(&bytes.to_string());
            request.checks.push(AnswerCheck::Size { of: AnswerSize::Body, how, bytes });
        };
        if !matches!(node.value, Value::Table(_)) {
            match node.integer(0..=u64::MAX / 2) {
                Ok(bytes) => add(Comparison::Equal, bytes),
                Err(problem) => self.refuse(problem),
            }
            return;
        }
        let Some(mut table) = self.open(node, "size") else {
            return;
        };
        for (key, how) in [("min", Comparison::AtLeast), ("max", Comparison::AtMost)] {
            if let Some(bytes) = self.read(&mut table, key, |node| node.integer(0..=u64::MAX / 2)) {
                add(how, bytes);
            }
        }
        table.finish(&mut self.problems);
    }
}

fn missing(node: &Node) -> Result<IfMissing, Diagnostic> {
    let is_kept = node.one_of(&[false, true], |is_kept| if is_kept { "keep" } else { "fail" })?;
    Ok(if is_kept { IfMissing::Keep } else { IfMissing::Fail })
}

fn which(node: &Node) -> Result<Which, Diagnostic> {
    match &node.value {
        Value::Text(word) if word == "random" => Ok(Which::Random),
        Value::Text(word) if word == "all" => Ok(Which::All),
        Value::Text(word) => Err(node.unknown_word(word, &["random", "all"])),
        _ => Ok(Which::Number(node.integer(1..=1_000_000)? as u32)),
    }
}

/// Reads statuses: `200`, `[200, 201]`, `"2xx"`.
fn statuses(node: &Node) -> Result<Vec<RangeInclusive<u16>>, Diagnostic> {
    let one = |node: &Node| match &node.value {
        Value::Text(text) => {
            let class = text.strip_suffix("xx").and_then(|class| class.parse::<u16>().ok());
            let class = class.filter(|class| (2..=5).contains(class));
            class
                .map(|class| class * 100..=class * 100 + 99)
                .ok_or_else(|| node.unknown_word(text, &["2xx", "3xx", "4xx", "5xx"]))
        }
        _ => node.integer(200..=599).map(|status| status as u16..=status as u16),
    };
    match &node.value {
        Value::List(list) => list.iter().map(one).collect(),
        _ => Ok(vec![one(node)?]),
    }
}
