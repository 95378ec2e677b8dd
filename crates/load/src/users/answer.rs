//! What is done with an answer: cookies, redirects, extractors, checks.

use super::cookies::Sender;
use super::digest::{DigestChallenge, Prover};
use super::json::{Json, JsonMatch};
use super::patterns::Patterns;
use super::player::Variable;
use super::render::Env;
use memchr::memmem;
use model::units::Nanos;
use std::borrow::Cow;
use std::time::{SystemTime, UNIX_EPOCH};
use traffic::scenario::{
    AnswerCheck, AnswerPart, AnswerSize, Cookies, DocumentForm, ExprHost as _, ExtractFrom, Extractor, Found,
    GroupText, IfMissing, SessionRequest, StepFailure, Template, TextTest, Which, unescape_html,
};

/// A complete answer, and the request to which it belongs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answer<'a> {
    pub(crate) status: u16,
    /// Status line and headers, with the empty line.
    pub(crate) head: &'a [u8],
    pub(crate) body: &'a [u8],
    /// The bytes of the request.
    pub(crate) request: &'a [u8],
    /// The service time.
    pub(crate) took: Nanos,
}

/// What follows from an answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Judged {
    /// It leads elsewhere, and the user follows at once; or it is a challenge that the user answers at once.
    Redirect,
    /// It was the right one.
    Right,
    /// It was not.
    Wrong(StepFailure),
}

impl Answer<'_> {
    /// The lines of the head behind the status line.
    fn headers(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let lines = self.head.split(|&byte| byte == b'\n').skip(1);
        lines.filter_map(|line| {
            let colon = line.iter().position(|&byte| byte == b':')?;
            Some((&line[..colon], line[colon + 1..].trim_ascii()))
        })
    }

    /// The values of a header.
    pub(super) fn header<'h>(&'h self, name: &'h str) -> impl Iterator<Item = &'h [u8]> {
        self.headers()
            .filter(move |(given, _)| given.eq_ignore_ascii_case(name.as_bytes()))
            .map(|(_, value)| value)
    }

    /// The words behind the status code.
    pub(super) fn reason(&self) -> &[u8] {
        let line = self.head.split(|&byte| byte == b'\r').next().unwrap_or_default();
        line.splitn(3, |&byte| byte == b' ').nth(2).unwrap_or_default()
    }

    /// Whether the method of the request is GET or HEAD.
    fn repeats_easily(&self) -> bool {
        matches!(self.request_line().0, b"GET" | b"HEAD")
    }

    /// Method and path of the request.
    pub(super) fn request_line(&self) -> (&[u8], &[u8]) {
        let mut words = self.request.split(|&byte| byte == b' ');
        (words.next().unwrap_or_default(), words.next().unwrap_or_default())
    }

    /// The length of the head of the request.
    fn request_head(&self) -> usize {
        let end = memmem::find(self.request, b"\r\n\r\n");
        end.map_or(self.request.len(), |end| end + 4)
    }
}

impl Env<'_> {
    /// Does all that is to be done with an answer.
    pub(crate) fn judge(&mut self, answer: &Answer<'_>) -> Judged {
        let shared = self.shared;
        let request = &shared.flat.requests[self.player.sending.request].request;
        if answer.status == 401 && self.answers_challenge(request, answer) {
            return Judged::Redirect;
        }
        let group = &shared.program().groups[self.player.group];
        if group.cookies != Cookies::Ignored {
            self.heed_cookies(answer);
        }
        if matches!(answer.status, 301 | 302 | 303 | 307 | 308)
            && request.redirects > 0
            && (request.repeats_bodies || !matches!(answer.status, 307 | 308) || answer.repeats_easily())
            && let Some(location) = answer.header("location").next()
        {
            return self.redirect(answer, location);
        }
        self.player.last_status = answer.status;
        let mut failure = None;
        if !request.statuses.iter().any(|right| right.contains(&answer.status)) {
            failure = Some(StepFailure::Status(answer.status));
        }
        for extractor in &request.extract {
            if !self.extract(extractor, answer) {
                let name = self.name_of(extractor.into);
                failure = failure.or(Some(StepFailure::NotExtracted(name)));
            }
        }
        for snippet in &request.scripts {
            self.player.last_ok = failure.is_none();
            match self.run_script(snippet, answer).verdict {
                Some((true, _)) => failure = None,
                Some((false, message)) => failure = failure.or(Some(StepFailure::Script(message))),
                None => {}
            }
        }
        for check in &request.checks {
            if failure.is_some() {
                break;
            }
            failure = self.check(check, answer);
        }
        failure.map_or(Judged::Right, Judged::Wrong)
    }

    /// Prepares to send a request again with the answer to its challenge. Returns false where it has none that can be answered, or was
    /// answered already.
    fn answers_challenge(&mut self, request: &SessionRequest, answer: &Answer<'_>) -> bool {
        let Some(user) = request.digest.as_ref().filter(|_| self.player.sending.answering.is_empty()) else {
            return false;
        };
        let Some(challenge) = answer.header("www-authenticate").find_map(DigestChallenge::parse) else {
            return false;
        };
        let [name, password] = [&user.name, &user.password].map(|text| {
            let rendered = self.rendered(text);
            let known = String::from_utf8_lossy(&rendered).into_owned();
            self.keep_buffer(rendered);
            known
        });
        let chosen = self.player.random.below(u64::MAX);
        let prover = Prover { user: &name, password: &password, chosen };
        self.player.sending.answering = challenge.answered(answer.request, prover).unwrap_or_default();
        !self.player.sending.answering.is_empty()
    }

    fn heed_cookies(&mut self, answer: &Answer<'_>) {
        let (_, path) = answer.request_line();
        for value in answer.header("set-cookie") {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let from = Sender { hosts: &self.shared.servers.hosts, server: self.player.sending.server };
            self.player.jar.heed(value, path, from, now.as_secs() as i64);
        }
    }

    /// Prepares to follow a redirect.
    fn redirect(&mut self, answer: &Answer<'_>, location: &[u8]) -> Judged {
        let text = || String::from_utf8_lossy(location).into_owned();
        if self.player.sending.redirects_left == 0 {
            return Judged::Wrong(StepFailure::TooManyRedirects);
        }
        let (_, from) = answer.request_line();
        let sending = &mut self.player.sending;
        let Some(place) = self.shared.servers.place_of(location, from, sending.server) else {
            return Judged::Wrong(StepFailure::RedirectElsewhere(text()));
        };
        sending.server = place.server;
        sending.redirects_left -= 1;
        sending.location.clear();
        sending.location.extend_from_slice(&place.path);
        sending.as_get |= matches!(answer.status, 301..=303);
        sending.answering.clear();
        Judged::Redirect
    }

    fn name_of(&self, found: Found) -> String {
        let program = self.shared.program();
        match found {
            Found::Variable(slot) => program.variables.name(slot).to_owned(),
            Found::List(slot) => program.lists.name(slot).to_owned(),
        }
    }

    /// Takes something from an answer. Returns false if it has to be there and is not.
    fn extract(&mut self, extractor: &Extractor, answer: &Answer<'_>) -> bool {
        let mut matches = std::mem::take(&mut self.world.matches);
        matches.clear();
        self.find(&extractor.from, extractor.which, answer, &mut matches);
        let is_found = self.put(extractor, &matches);
        self.world.matches = matches;
        is_found
    }

    /// Puts the matches of an extractor where they belong.
    fn put(&mut self, extractor: &Extractor, matches: &MatchList) -> bool {
        let count = matches.ends.len();
        let chosen = match extractor.which {
            Which::Number(number) => (number as usize).checked_sub(1).filter(|&index| index < count),
            Which::Random if count > 0 => Some(self.player.random.below(count as u64) as usize),
            Which::All if count > 0 => Some(0),
            Which::Random | Which::All => None,
        };
        match (chosen, extractor.into) {
            (Some(_), Found::List(list)) => {
                self.player.lists[list].clear();
                for index in 0..count {
                    self.player.lists[list].push(matches.get(index));
                }
            }
            (Some(_), Found::Variable(slot)) if extractor.which == Which::All => {
                let all: Vec<&[u8]> = (0..count).map(|index| matches.get(index)).collect();
                self.player.variables[slot].put(&all.join(&b","[..]));
            }
            (Some(index), Found::Variable(slot)) => self.player.variables[slot].put(matches.get(index)),
            (None, into) => return self.put_missing(into, &extractor.missing),
        }
        true
    }

    /// Does what an extractor asks for where there is nothing. Returns false if something has to be there.
    pub(super) fn put_missing(&mut self, into: Found, missing: &IfMissing) -> bool {
        match (missing, into) {
            (IfMissing::Keep, _) => {}
            (_, Found::List(list)) => self.player.lists[list].clear(),
            (IfMissing::Default(value), Found::Variable(slot)) => self.set(slot, value),
            (IfMissing::Fail, Found::Variable(slot)) => self.player.variables[slot].set = false,
        }
        *missing != IfMissing::Fail
    }

    /// Finds the matches of an extractor; no more than it needs.
    fn find(&mut self, from: &ExtractFrom, which: Which, answer: &Answer<'_>, matches: &mut MatchList) {
        let most = match which {
            Which::Number(number) => number as usize,
            Which::Random | Which::All => usize::MAX,
        };
        match from {
            ExtractFrom::Json { part, path } => self.find_json(part, path, most, answer, matches),
            ExtractFrom::Regex { part, pattern, text: groups } => {
                let pattern = self.rendered(pattern);
                let text = part_of(part, answer, &self.player.variables);
                if let Some(regex) = self.world.patterns.regex(&String::from_utf8_lossy(&pattern)) {
                    for captures in regex.captures_iter(&text).take(most) {
                        for group in groups {
                            matches.text.extend_from_slice(match group {
                                GroupText::Literal(text) => text.as_bytes(),
                                GroupText::Group(group) => {
                                    captures.get(*group).map_or(&[][..], |group| group.as_bytes())
                                }
                            });
                        }
                        matches.end();
                    }
                }
                self.keep_buffer(pattern);
            }
            ExtractFrom::Header(name) => {
                for value in answer.header(name).take(most) {
                    matches.push(value);
                }
            }
            ExtractFrom::Cookie(name) => {
                if let Some(value) = self.player.jar.value(name) {
                    matches.push(value);
                }
            }
            ExtractFrom::Between { part, left, right } => {
                let (left, right) = (self.rendered(left), self.rendered(right));
                let text = part_of(part, answer, &self.player.variables);
                between(&text, &left, &right, most, matches);
                self.keep_buffer(left);
                self.keep_buffer(right);
            }
            ExtractFrom::XPath { part, path, form, whole } => {
                self.find_in_document(part, path, *form, *whole, answer, matches);
            }
            ExtractFrom::Css { part, selector, attribute } => {
                self.find_in_page(part, selector, attribute.as_ref(), answer, matches);
            }
            ExtractFrom::Resources { only, never } => {
                self.find_resources(only.as_ref(), never.as_ref(), answer, matches);
            }
            ExtractFrom::Links { path, query } => self.find_links(path, query, answer, matches),
        }
    }

    /// Finds the values to which a JSONPath leads.
    fn find_json(
        &mut self,
        part: &AnswerPart,
        path: &Template,
        most: usize,
        answer: &Answer<'_>,
        matches: &mut MatchList,
    ) {
        let path = self.rendered(path);
        let text = part_of(part, answer, &self.player.variables);
        let mut found = std::mem::take(&mut matches.found);
        found.clear();
        if let Some(path) = self.world.patterns.path(&String::from_utf8_lossy(&path)) {
            Json(&text).find(path, most, &mut found);
        }
        for value in &found {
            Json(&text).write(value, &mut matches.text);
            matches.end();
        }
        matches.found = found;
        self.keep_buffer(path);
    }

    /// What is wrong with an answer by a check, if anything is.
    fn check(&mut self, check: &AnswerCheck, answer: &Answer<'_>) -> Option<StepFailure> {
        match check {
            AnswerCheck::Text { part, test, patterns, any, not } => {
                let mut failed = None;
                let mut fits_one = false;
                for pattern in patterns {
                    let pattern = self.rendered(pattern);
                    let text = part_of(part, answer, &self.player.variables);
                    if passes(&mut self.world.patterns, *test, &text, &pattern) != *not {
                        fits_one = true;
                    } else if failed.is_none() {
                        failed = Some(text_of(&pattern));
                    }
                    self.keep_buffer(pattern);
                }
                let pattern = failed.filter(|_| !*any || !fits_one)?;
                Some(StepFailure::Text { part: part.clone(), test: *test, not: *not, pattern })
            }
            AnswerCheck::Json { path, expected, not } => {
                self.check_json(path, expected.as_ref(), *not, answer.body)
            }
            AnswerCheck::Xml => {
                self.check_document(&AnswerPart::Body, None, DocumentForm::Xml, false, answer)
            }
            AnswerCheck::XPath { part, path, form, not } => {
                self.check_document(part, Some(path), *form, *not, answer)
            }
            AnswerCheck::HasHeader(name) => {
                let has = answer.header(name).next().is_some();
                (!has).then(|| StepFailure::NoHeader(name.clone()))
            }
            AnswerCheck::Size { of, how, bytes } => {
                let wanted = self.rendered(bytes);
                let found = match of {
                    AnswerSize::Body => answer.body.len(),
                    AnswerSize::Head => answer.head.len(),
                    AnswerSize::Whole => answer.head.len() + answer.body.len(),
                };
                let holds = how.holds(found.to_string().as_bytes(), &wanted);
                self.keep_buffer(wanted);
                (!holds).then_some(StepFailure::Size { of: *of, bytes: found as u64 })
            }
            AnswerCheck::Within(most) => {
                (answer.took > *most).then_some(StepFailure::TooSlow { took: answer.took, most: *most })
            }
        }
    }

    fn check_json(
        &mut self,
        path: &Template,
        expected: Option<&(TextTest, Template)>,
        not: bool,
        body: &[u8],
    ) -> Option<StepFailure> {
        let written = self.rendered(path);
        let mut found = std::mem::take(&mut self.world.matches.found);
        found.clear();
        if let Some(path) = self.world.patterns.path(&String::from_utf8_lossy(&written)) {
            Json(body).find(path, usize::MAX, &mut found);
        }
        let holds = match expected {
            None => !found.is_empty(),
            Some((test, pattern)) => self.one_passes(*test, pattern, body, &found),
        };
        let failure = (holds == not).then(|| StepFailure::Json {
            path: text_of(&written),
            found: found.first().map(|value| {
                let mut text = Vec::new();
                Json(body).write(value, &mut text);
                text_of(&text)
            }),
        });
        self.world.matches.found = found;
        self.keep_buffer(written);
        failure
    }

    /// Whether one of the values in a body passes a test.
    fn one_passes(&mut self, test: TextTest, pattern: &Template, body: &[u8], found: &[JsonMatch]) -> bool {
        let pattern = self.rendered(pattern);
        let mut text = self.world.buffers.pop().unwrap_or_default();
        let passes = found.iter().any(|value| {
            text.clear();
            Json(body).write(value, &mut text);
            passes(&mut self.world.patterns, test, &text, &pattern)
        });
        self.keep_buffer(text);
        self.keep_buffer(pattern);
        passes
    }
}

/// The text of a part of an answer.
pub(super) fn part_of<'a>(
    part: &AnswerPart,
    answer: &'a Answer<'_>,
    variables: &'a [Variable],
) -> Cow<'a, [u8]> {
    match part {
        AnswerPart::Body => Cow::Borrowed(answer.body),
        AnswerPart::UnescapedBody => {
            let mut text = Vec::with_capacity(answer.body.len());
            unescape_html(answer.body, &mut text);
            Cow::Owned(text)
        }
        AnswerPart::Head => Cow::Borrowed(answer.head),
        AnswerPart::Header(name) => {
            let values: Vec<&[u8]> = answer.header(name).collect();
            Cow::Owned(values.join(&b", "[..]))
        }
        AnswerPart::Status => Cow::Owned(answer.status.to_string().into_bytes()),
        AnswerPart::Reason => {
            let line = answer.head.split(|&byte| byte == b'\n').next().unwrap_or_default();
            let words = line.trim_ascii().splitn(3, |&byte| byte == b' ');
            Cow::Borrowed(words.skip(2).last().unwrap_or_default())
        }
        AnswerPart::Url => Cow::Borrowed(answer.request_line().1),
        AnswerPart::RequestHead => Cow::Borrowed(&answer.request[..answer.request_head()]),
        AnswerPart::RequestBody => Cow::Borrowed(&answer.request[answer.request_head()..]),
        AnswerPart::Variable(slot) => Cow::Borrowed(&variables[*slot].text),
    }
}

fn passes(patterns: &mut Patterns, test: TextTest, text: &[u8], pattern: &[u8]) -> bool {
    let pattern_text = || String::from_utf8_lossy(pattern);
    match test {
        TextTest::Equals => text == pattern,
        TextTest::Contains => memmem::find(text, pattern).is_some(),
        TextTest::Finds => {
            let regex = patterns.regex(&pattern_text());
            regex.is_some_and(|regex| regex.is_match(text))
        }
        TextTest::Matches => {
            let regex = patterns.whole_regex(&pattern_text());
            regex.is_some_and(|regex| regex.is_match(text))
        }
    }
}

/// The matches of an extractor, one behind the other in one text.
#[derive(Debug, Default)]
pub(crate) struct MatchList {
    text: Vec<u8>,
    ends: Vec<usize>,
    /// Memory for what a JSONPath leads to.
    found: Vec<JsonMatch>,
}

impl MatchList {
    fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    /// Ends a match that was appended to the text.
    fn end(&mut self) {
        self.ends.push(self.text.len());
    }

    pub(super) fn push(&mut self, text: &[u8]) {
        self.text.extend_from_slice(text);
        self.end();
    }

    fn get(&self, index: usize) -> &[u8] {
        let from = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[from..self.ends[index]]
    }
}

/// Adds what stands between two texts, each time the shortest, at most so often.
fn between(text: &[u8], left: &[u8], right: &[u8], most: usize, matches: &mut MatchList) {
    let mut rest = text;
    while matches.ends.len() < most {
        let Some(begin) = memmem::find(rest, left) else {
            return;
        };
        let inside = &rest[begin + left.len()..];
        let end = if right.is_empty() { Some(inside.len()) } else { memmem::find(inside, right) };
        let Some(end) = end else { return };
        matches.push(&inside[..end]);
        let behind = &inside[end..];
        rest = &behind[right.len().min(behind.len())..];
        if rest.is_empty() {
            return;
        }
    }
}

pub(super) fn text_of(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_between_two_texts_is_the_shortest() {
        let found = |text: &str, left: &str, right: &str| {
            let mut matches = MatchList::default();
            between(text.as_bytes(), left.as_bytes(), right.as_bytes(), 9, &mut matches);
            (0..matches.ends.len()).map(|index| text_of(matches.get(index))).collect::<Vec<_>>()
        };
        assert_eq!(found("<b>1</b><b>2</b><b>3", "<b>", "</b>"), ["1", "2"]);
        assert_eq!(found("a=7", "a=", ""), ["7"]);
        assert_eq!(found("abc", "", "c"), ["ab"]);
        assert_eq!(found("abc", "", ""), ["abc"]);
    }
}
