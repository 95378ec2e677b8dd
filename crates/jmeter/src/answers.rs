//! Compares what prony makes of functions and scripts with the answers that JMeter has given (tests/answers, bench/jmx-answers).

use crate::{Settings, compile};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use traffic::scenario::{Action, Dialect, ExprHost, Program, RequestBody, ScriptValue, Template};

/// The tables: their names, and their texts.
const TABLES: [(&str, &str); 7] = [
    ("functions", include_str!("../tests/answers/functions.tsv")),
    ("times", include_str!("../tests/answers/times.tsv")),
    ("groovy", include_str!("../tests/answers/groovy.tsv")),
    ("BeanShell", include_str!("../tests/answers/BeanShell.tsv")),
    ("javaScript", include_str!("../tests/answers/javaScript.tsv")),
    ("jexl2", include_str!("../tests/answers/jexl2.tsv")),
    ("jexl3", include_str!("../tests/answers/jexl3.tsv")),
];
const VARIABLES: &str = include_str!("../tests/answers/variables.txt");
/// A text is evaluated so often, to find out whether it is random.
const TIMES: usize = 200;
/// The present time, in milliseconds since 1970.
const NOW: i64 = 1_796_023_160_853;
/// More different values than these are told by their characters.
const MOST_VALUES: usize = 12;

/// The user for whom a text is evaluated.
struct User<'a> {
    program: &'a Program,
    variables: BTreeMap<String, String>,
    properties: BTreeMap<String, String>,
    counted: Vec<i64>,
    drawn: u64,
}

impl User<'_> {
    /// Returns the answer in the form of the tables: the value, and what else was changed.
    fn answer(&mut self, text: &Template) -> String {
        let (variables, properties) = (self.variables.clone(), self.properties.clone());
        let mut value = Vec::new();
        text.write(self, &mut value);
        let mut told = String::from_utf8_lossy(&value).into_owned();
        for (name, value) in self.variables.iter().filter(|(name, value)| variables.get(*name) != Some(value))
        {
            told += &format!(" | {name}={value}");
        }
        for name in variables.keys().filter(|name| !self.variables.contains_key(*name)) {
            told += &format!(" | no {name}");
        }
        for (name, value) in self.properties.iter().filter(|(name, _)| !properties.contains_key(*name)) {
            told += &format!(" | property {name}={value}");
        }
        (self.variables, self.properties) = (variables, properties);
        told
    }
}

impl ExprHost for User<'_> {
    fn environment(&self, _: usize) -> &str {
        "set"
    }
    fn variable(&self, slot: usize) -> Option<&[u8]> {
        self.variables.get(self.program.variables.name(slot)).map(String::as_bytes)
    }
    fn variable_name(&self, slot: usize) -> &str {
        self.program.variables.name(slot)
    }
    fn set_variable(&mut self, slot: usize, text: &[u8]) {
        let name = self.program.variables.name(slot).to_owned();
        self.variables.insert(name, String::from_utf8_lossy(text).into_owned());
    }
    fn next_number(&mut self, counter: usize) -> i64 {
        self.counted.resize(self.program.counters.len(), 0);
        self.counted[counter] += 1;
        self.counted[counter]
    }
    fn group_name(&self) -> &str {
        "buyers"
    }
    fn user_number(&mut self) -> u64 {
        3
    }
    fn last_ok(&mut self) -> bool {
        true
    }
    fn last_status(&mut self) -> Option<u16> {
        Some(200)
    }
    fn named_variable(&mut self, name: &str) -> Option<String> {
        self.variables.get(name).cloned()
    }
    fn put_named(&mut self, name: &str, value: Option<String>) {
        match value {
            Some(value) => self.variables.insert(name.to_owned(), value),
            None => self.variables.remove(name),
        };
    }
    fn property(&mut self, name: &str) -> Option<String> {
        self.properties.get(name).cloned()
    }
    fn put_property(&mut self, name: &str, value: String) {
        self.properties.insert(name.to_owned(), value);
    }
    fn below(&mut self, bound: u64) -> u64 {
        // splitmix64 (Steele, Lea and Flood 2014).
        self.drawn = self.drawn.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.drawn;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
    fn now(&mut self) -> i64 {
        NOW
    }
    fn regex(&mut self, pattern: &str, text: &[u8], whole: bool) -> Option<bool> {
        let pattern = if whole { format!("^(?:{pattern})$") } else { pattern.to_owned() };
        Some(Regex::new(&pattern).ok()?.is_match(std::str::from_utf8(text).ok()?))
    }
    fn json(&mut self, text: &str, path: &str, dialect: Dialect) -> Option<ScriptValue> {
        let value: serde_json::Value = serde_json::from_str(text).ok()?;
        let pointer = path.replace("['", "/").replace("']", "").replace('[', "/").replace(']', "");
        let pointer = pointer.trim_start_matches('$');
        Some(match value.pointer(pointer.trim_end_matches(".length()")) {
            None | Some(serde_json::Value::Null) => ScriptValue::Null,
            Some(serde_json::Value::Array(items)) if pointer.ends_with(".length()") => {
                ScriptValue::whole(items.len() as i64, dialect)
            }
            Some(serde_json::Value::String(text)) => ScriptValue::Text(text.clone()),
            Some(serde_json::Value::Bool(value)) => ScriptValue::Bool(*value),
            Some(serde_json::Value::Number(number)) => ScriptValue::of_number(&number.to_string(), dialect)?,
            Some(_) => return None,
        })
    }
    fn json_kind(&mut self, text: &str, path: &str) -> Option<&'static str> {
        let value: serde_json::Value = serde_json::from_str(text).ok()?;
        let pointer = path.replace("['", "/").replace("']", "").replace('$', "");
        Some(match value.pointer(&pointer) {
            None | Some(serde_json::Value::Null) => "nothing",
            Some(serde_json::Value::Object(_)) => "object",
            Some(serde_json::Value::Array(_)) => "array",
            Some(serde_json::Value::String(_)) => "text",
            Some(serde_json::Value::Number(_)) => "number",
            Some(serde_json::Value::Bool(_)) => "truth",
        })
    }
    fn replaced(&mut self, pattern: &str, text: &str, with: &str, all: bool) -> Option<String> {
        let with = regex::NoExpand(with);
        Some(Regex::new(pattern).ok()?.replacen(text, usize::from(!all), with).into_owned())
    }
    fn at(&mut self, _: &[traffic::scenario::PathPart]) -> Option<ScriptValue> {
        None
    }
}

/// Makes a plan whose only request has the text as its body. The variables are known before the load starts, or set while it runs.
fn plan(text: &str, fixed: bool) -> String {
    let xml = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let pairs = VARIABLES.lines().filter_map(|line| line.split_once('='));
    let variables: String = if fixed {
        let argument = |(name, value)| {
            let value = xml(value);
            format!(
                r#"<elementProp name="{name}" elementType="Argument"><stringProp name="Argument.name">{name}</stringProp><stringProp name="Argument.value">{value}</stringProp></elementProp>"#
            )
        };
        let arguments: String = pairs.map(argument).collect();
        format!(
            r#"<Arguments testname="variables"><collectionProp name="Arguments.arguments">{arguments}</collectionProp></Arguments><hashTree/>"#
        )
    } else {
        let names: String = pairs.map(|(name, _)| format!("<stringProp>{name}</stringProp>")).collect();
        format!(
            r#"<UserParameters testname="variables"><collectionProp name="UserParameters.names">{names}</collectionProp><collectionProp name="UserParameters.thread_values"/></UserParameters><hashTree/>"#
        )
    };
    let text = xml(text);
    format!(
        r#"<jmeterTestPlan><hashTree><TestPlan testname="plan"/><hashTree><ThreadGroup testname="buyers"><stringProp name="ThreadGroup.num_threads">1</stringProp></ThreadGroup><hashTree>{variables}
        <HTTPSamplerProxy testname=""><boolProp name="HTTPSampler.postBodyRaw">true</boolProp><elementProp name="HTTPsampler.Arguments" elementType="Arguments"><collectionProp name="Arguments.arguments"><elementProp name="" elementType="HTTPArgument"><stringProp name="Argument.value">{text}</stringProp></elementProp></collectionProp></elementProp>
        <stringProp name="HTTPSampler.domain">server</stringProp><stringProp name="HTTPSampler.method">POST</stringProp></HTTPSamplerProxy><hashTree/></hashTree></hashTree></hashTree></jmeterTestPlan>"#
    )
}

/// Returns what prony makes of a text, in the form of the tables.
fn answer(text: &str, fixed: bool) -> String {
    let settings = Settings {
        properties: BTreeMap::from([("known".to_owned(), "7".to_owned())]),
        now: NOW,
        ..Settings::default()
    };
    let compiled = compile(&plan(text, fixed), &settings).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    if !compiled.obstacles.is_empty() {
        return "refused".to_owned();
    }
    let program = compiled.program;
    let mut body = Template::default();
    Action::visit_all(&program.groups[0].body, &mut |action| {
        if let Action::Request(request) = action
            && let RequestBody::Text(text) = &request.body
        {
            body = text.clone();
        }
    });
    let pairs = VARIABLES.lines().filter_map(|line| line.split_once('='));
    let mut user = User {
        program: &program,
        variables: pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        properties: settings.properties.clone(),
        counted: Vec::new(),
        drawn: 0,
    };
    let is_random = ["andom", "UUID", "__counter"].iter().any(|word| text.contains(word));
    let values: Vec<String> = (0..if is_random { TIMES } else { 2 }).map(|_| user.answer(&body)).collect();
    let different: BTreeSet<&String> = values.iter().collect();
    match different.len() {
        1 => values[0].clone(),
        2..=MOST_VALUES => {
            format!("{{{}}}", different.into_iter().map(String::as_str).collect::<Vec<_>>().join("|"))
        }
        _ => shape(&different),
    }
}

/// Tells the kinds of characters and the lengths of random texts.
fn shape(values: &BTreeSet<&String>) -> String {
    let kind = |c: char| match c {
        '0'..='9' => "0-9".to_owned(),
        'a'..='z' => "a-z".to_owned(),
        'A'..='Z' => "A-Z".to_owned(),
        c => c.to_string(),
    };
    let kinds: BTreeSet<String> = values.iter().flat_map(|value| value.chars()).map(kind).collect();
    let kinds: String = kinds.into_iter().collect();
    let lengths: BTreeSet<usize> = values.iter().map(|value| value.chars().count()).collect();
    match (lengths.first(), lengths.last()) {
        (Some(least), Some(most)) if least < most => format!("~[{kinds}]{{{least},{most}}}"),
        (Some(length), _) => format!("~[{kinds}]{{{length}}}"),
        _ => String::new(),
    }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t").replace('\r', "\\r")
}

fn unescaped(text: &str) -> String {
    let mut found = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        found.push(match (c, if c == '\\' { rest.next() } else { None }) {
            ('\\', Some('n')) => '\n',
            ('\\', Some('t')) => '\t',
            ('\\', Some('r')) => '\r',
            ('\\', Some(other)) => other,
            (c, _) => c,
        });
    }
    found
}

/// Returns the text as it would stand in a plan: a script is the argument of the function of its language.
fn text_of(table: &str, cell: &str) -> String {
    match table {
        "functions" | "times" => unescaped(cell),
        language => {
            format!("${{__{language}({})}}", unescaped(cell).replace('\\', "\\\\").replace(',', "\\,"))
        }
    }
}

#[test]
fn texts_mean_what_they_mean_in_jmeter() {
    let mut wrong = String::new();
    let (mut same, mut refused) = (0, 0);
    let digits = Regex::new("[0-9]").expect("a pattern");
    for (table, rows) in TABLES {
        for row in rows.lines().filter(|row| !row.is_empty() && !row.starts_with('#')) {
            let mut cells = row.split('\t');
            let (cell, jmeter) = (cells.next().unwrap_or_default(), cells.next().unwrap_or_default());
            let names = VARIABLES.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name);
            let has_variables = cell.contains("vars")
                || names
                    .into_iter()
                    .any(|name| cell.contains(&format!("${{{name}")) || cell.contains(&format!("({name}")));
            let refused_when = cells.next().unwrap_or_default();
            // Without a variable it is all the same when variables get their values.
            let ways = [(true, "known"), (false, "later")];
            for (fixed, when) in ways.into_iter().take(if has_variables { 2 } else { 1 }) {
                let mut found = escaped(&answer(&text_of(table, cell), fixed));
                if table == "times" {
                    found = digits.replace_all(&found, "9").into_owned();
                }
                let is_refused =
                    matches!(refused_when, "refused") || refused_when == format!("refused {when}");
                let expected = if is_refused { "refused" } else { jmeter };
                if found == expected {
                    *if is_refused { &mut refused } else { &mut same } += 1;
                } else {
                    wrong += &format!("{table}\t{when}\t{cell}\t{jmeter}\t{found}\n");
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}{same} are the same, {refused} are refused");
}
