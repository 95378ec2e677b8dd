//! What is taken from answers and what makes them right, as scenario files write it.

use super::{Refused, Writer};
use crate::remark::PlanPart;
use crate::write::{duration, inline, key, table};
use std::ops::RangeInclusive;
use traffic::scenario::{
    AnswerCheck, AnswerPart, AnswerSize, Comparison, ExtractFrom, Extractor, Found, GroupText, IfMissing,
    SessionRequest, Template, TextTest, Which,
};

/// The checks of a request by their keys.
#[derive(Default)]
struct Checks {
    contains: Vec<String>,
    not_contains: Vec<String>,
    matches: Vec<String>,
    equals: Vec<String>,
    json: Vec<String>,
    header: Vec<String>,
    sizes: Vec<String>,
    status: Option<Vec<u16>>,
    within: Option<String>,
}

impl Writer<'_> {
    /// Writes extractors.
    pub(super) fn extractors(&mut self, all: &[Extractor]) -> Vec<String> {
        let mut written: Vec<(String, String)> = Vec::new();
        for extractor in all {
            match self.extractor(extractor) {
                Ok((name, _)) if written.iter().any(|(known, _)| *known == name) => {
                    self.refuse(PlanPart::ExtractTwice);
                }
                Ok(pair) => written.push(pair),
                Err(part) => self.refuse(part),
            }
            self.extracted(extractor);
        }
        written.into_iter().map(|(name, value)| format!("{} = {value}", key(&name))).collect()
    }

    fn extractor(&mut self, extractor: &Extractor) -> Result<(String, String), Refused> {
        let mut keys = vec![self.extract_from(&extractor.from)?];
        let name = match (extractor.which, extractor.into) {
            (Which::All, Found::List(list)) => self.list_name(list).to_owned(),
            (Which::Number(_) | Which::Random, Found::Variable(slot)) => self.name(slot),
            _ => return Err(PlanPart::List),
        };
        match extractor.which {
            Which::Number(1) => {}
            Which::Number(number) => keys.push(format!("match = {number}")),
            Which::Random => keys.push("match = \"random\"".to_owned()),
            Which::All => keys.push("match = \"all\"".to_owned()),
        }
        match &extractor.missing {
            IfMissing::Fail => {}
            IfMissing::Keep => keys.push("missing = \"keep\"".to_owned()),
            IfMissing::Default(value) => {
                keys.push(format!("default = {}", inline(&self.template(value)?)));
            }
        }
        Ok((name, table(keys.into_iter())))
    }

    fn extract_from(&mut self, from: &ExtractFrom) -> Result<String, Refused> {
        Ok(match from {
            ExtractFrom::Json { part: AnswerPart::Body, path } => {
                format!("json = {}", inline(&self.template(path)?))
            }
            ExtractFrom::Regex { part: AnswerPart::Body, pattern, text } => {
                let pattern = match (pattern.as_literal(), text.as_slice()) {
                    (Some(pattern), [GroupText::Group(group)]) => {
                        Template::literal(&only_group(pattern, *group)?)
                    }
                    (None, [GroupText::Group(1)]) => pattern.clone(),
                    _ => return Err(PlanPart::Groups),
                };
                format!("regex = {}", inline(&self.template(&pattern)?))
            }
            ExtractFrom::Header(name) => format!("header = {}", inline(name)),
            ExtractFrom::Cookie(name) => format!("cookie = {}", inline(name)),
            ExtractFrom::Between { part: AnswerPart::Body, left, right } => {
                let (left, right) = (self.template(left)?, self.template(right)?);
                format!("between = [{}, {}]", inline(&left), inline(&right))
            }
            _ => return Err(PlanPart::AnswerPart),
        })
    }

    /// Writes what makes an answer right; nothing if it is what a scenario takes for right anyway.
    pub(super) fn checks(&mut self, request: &SessionRequest) -> Option<(&'static str, String)> {
        let mut checks = Checks::default();
        for check in &request.checks {
            if let Err(part) = self.check(check, &request.statuses, &mut checks) {
                self.refuse(part);
            }
        }
        let mut keys = Vec::new();
        match (&checks.status, request.statuses.as_slice()) {
            (Some(statuses), _) => {
                let list: Vec<String> = statuses.iter().map(u16::to_string).collect();
                keys.push(format!("status = [{}]", list.join(", ")));
            }
            (None, [one]) if *one == (200..=399) => {}
            (None, [one]) if *one.start() <= 200 && *one.end() >= 599 => {
                keys.push("status = [\"2xx\", \"3xx\", \"4xx\", \"5xx\"]".to_owned());
            }
            (None, _) => self.refuse(PlanPart::Check),
        }
        let lists = [
            ("contains", checks.contains),
            ("not_contains", checks.not_contains),
            ("matches", checks.matches),
            ("equals", checks.equals),
        ];
        for (name, list) in lists {
            match list.as_slice() {
                [] => {}
                [one] => keys.push(format!("{name} = {one}")),
                several => keys.push(format!("{name} = [{}]", several.join(", "))),
            }
        }
        for (name, entries) in [("json", checks.json), ("header", checks.header), ("size", checks.sizes)] {
            if !entries.is_empty() {
                keys.push(format!("{name} = {}", table(entries.into_iter())));
            }
        }
        keys.extend(checks.within.map(|time| format!("within = \"{time}\"")));
        (!keys.is_empty()).then(|| ("check", table(keys.into_iter())))
    }

    fn check(
        &mut self,
        check: &AnswerCheck,
        statuses: &[RangeInclusive<u16>],
        into: &mut Checks,
    ) -> Result<(), Refused> {
        match check {
            AnswerCheck::Text { part: AnswerPart::Body, test, patterns, any, not } => {
                self.text_check(*test, patterns, *any, *not, into)
            }
            AnswerCheck::Text { part: AnswerPart::Status, patterns, any, not: false, .. } => {
                into.status = Some(wanted_statuses(patterns, *any, statuses, into)?);
                Ok(())
            }
            AnswerCheck::Text {
                part: AnswerPart::Header(name),
                test: TextTest::Contains,
                patterns,
                not: false,
                ..
            } => {
                let [pattern] = patterns.as_slice() else {
                    return Err(PlanPart::Check);
                };
                into.header.push(format!("{} = {}", key(name), inline(&self.template(pattern)?)));
                Ok(())
            }
            AnswerCheck::Json { path, expected: Some((TextTest::Equals, value)), not: false } => {
                let path = path.as_literal().ok_or(PlanPart::Check)?.to_owned();
                into.json.push(format!("{} = {}", key(&path), inline(&self.template(value)?)));
                Ok(())
            }
            AnswerCheck::Size { of: AnswerSize::Body, how, bytes } => size(*how, bytes, into),
            AnswerCheck::Within(time) if into.within.is_none() => {
                into.within = Some(duration(time.as_secs_f64()));
                Ok(())
            }
            _ => Err(PlanPart::Check),
        }
    }

    fn text_check(
        &mut self,
        test: TextTest,
        patterns: &[Template],
        any: bool,
        not: bool,
        into: &mut Checks,
    ) -> Result<(), Refused> {
        if any && patterns.len() > 1 {
            let is_regex = matches!(test, TextTest::Finds | TextTest::Matches);
            let literals: Option<Vec<&str>> = patterns.iter().map(Template::as_literal).collect();
            let literals = literals.filter(|_| is_regex && !not).ok_or(PlanPart::Check)?;
            let whole = |text: &&str| match test {
                TextTest::Matches => format!("\\A(?:{text})\\z"),
                _ => format!("(?:{text})"),
            };
            let joined: Vec<String> = literals.iter().map(whole).collect();
            into.matches.push(inline(&crate::draft::literal(&joined.join("|"))));
            return Ok(());
        }
        for pattern in patterns {
            let text = self.template(pattern)?;
            let (list, text) = match (test, not) {
                (TextTest::Contains, false) => (&mut into.contains, text),
                (TextTest::Contains, true) => (&mut into.not_contains, text),
                (TextTest::Finds, false) => (&mut into.matches, text),
                (TextTest::Matches, false) => (&mut into.matches, format!("\\A(?:{text})\\z")),
                (TextTest::Equals, false) => (&mut into.equals, text),
                _ => return Err(PlanPart::Check),
            };
            list.push(inline(&text));
        }
        Ok(())
    }
}

/// The right statuses that a check asks for.
fn wanted_statuses(
    patterns: &[Template],
    any: bool,
    right: &[RangeInclusive<u16>],
    known: &Checks,
) -> Result<Vec<u16>, Refused> {
    let wanted = status_codes(patterns, any).ok_or(PlanPart::Check)?;
    let is_right = |status: &u16| right.iter().any(|range| range.contains(status));
    let wanted: Vec<u16> = wanted.into_iter().filter(is_right).collect();
    match wanted.is_empty() || known.status.is_some() {
        true => Err(PlanPart::Check),
        false => Ok(wanted),
    }
}

/// Adds a check of the size of the body.
fn size(how: Comparison, bytes: &Template, into: &mut Checks) -> Result<(), Refused> {
    let bytes = bytes.as_literal().and_then(|text| text.trim().parse::<u64>().ok());
    let bytes = bytes.ok_or(PlanPart::Check)?;
    let (min, max) = match how {
        Comparison::Equal => (Some(bytes), Some(bytes)),
        Comparison::AtLeast => (Some(bytes), None),
        Comparison::Greater => (bytes.checked_add(1), None),
        Comparison::AtMost => (None, Some(bytes)),
        Comparison::Less => (None, bytes.checked_sub(1)),
        Comparison::Unequal => (None, None),
    };
    if (min.is_none() && max.is_none()) || !into.sizes.is_empty() {
        return Err(PlanPart::Check);
    }
    into.sizes.extend(min.map(|bytes| format!("min = {bytes}")));
    into.sizes.extend(max.map(|bytes| format!("max = {bytes}")));
    Ok(())
}

/// The statuses that patterns ask for, if each is written out.
fn status_codes(patterns: &[Template], any: bool) -> Option<Vec<u16>> {
    if patterns.len() > 1 && !any {
        return None;
    }
    let code = |pattern: &Template| {
        let text = pattern.as_literal()?.trim().to_owned();
        let is_code = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse::<u16>().ok().filter(|code| is_code && (200..=599).contains(code))
    };
    patterns.iter().map(code).collect()
}

/// Makes a group of a regular expression the only one that captures; 0 is the whole match.
fn only_group(pattern: &str, wanted: usize) -> Result<String, Refused> {
    let mut out = String::new();
    let (mut number, mut in_class, mut escaped) = (0, false, false);
    let mut found = wanted == 0;
    let mut rest = pattern.chars().peekable();
    while let Some(c) = rest.next() {
        out.push(c);
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class && rest.peek() != Some(&'?') => {
                number += 1;
                found |= number == wanted;
                if number != wanted {
                    out.push_str("?:");
                }
            }
            '(' if !in_class && pattern.contains("(?P<") => return Err(PlanPart::Groups),
            _ => {}
        }
    }
    match (found, wanted) {
        (true, 0) if number == 0 => Ok(pattern.to_owned()),
        (true, 0) => Ok(format!("({out})")),
        (true, _) => Ok(out),
        (false, _) => Err(PlanPart::Groups),
    }
}
