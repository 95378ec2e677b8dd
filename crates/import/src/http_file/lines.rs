//! The lines of a `.http` file.

/// A request as it is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Written {
    /// From 1.
    pub(super) line: usize,
    pub(super) name: Option<String>,
    pub(super) method: String,
    pub(super) url: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<BodyLine>,
    /// Variables that are set before it.
    pub(super) variables: Vec<(String, String)>,
    /// Scripts before and behind it.
    pub(super) before: Vec<String>,
    pub(super) behind: Vec<String>,
    /// Whether redirects are not followed.
    pub(super) follows_none: bool,
    /// Whether it neither keeps nor sends cookies.
    pub(super) drops_cookies: bool,
    /// In seconds.
    pub(super) timeout: Option<f64>,
}

/// A line of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BodyLine {
    Text(String),
    /// The content of a file: `< ./item.json`.
    File {
        path: String,
        /// Whether variables in it have their values: `<@`.
        has_variables: bool,
    },
}

/// Which part of a request a line belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Nothing of it was read yet.
    Before,
    Head,
    Body,
}

/// Reads the requests of a file, and the variables that stand before the first.
pub(super) fn read(text: &str) -> (Vec<Written>, Vec<(String, String)>) {
    let mut reader = Reader { done: Vec::new(), present: Written::default(), part: Part::Before };
    let mut lines = text.trim_start_matches('\u{feff}').lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let begun = line.trim_start();
        // A script goes on to the line with its end.
        let opening = ["> {%", "< {%"].into_iter().find(|opening| begun.starts_with(opening));
        if let Some(opening) = opening {
            let mut code = begun[opening.len()..].to_owned();
            while !code.contains("%}") {
                let Some((_, next)) = lines.next() else { break };
                code.push('\n');
                code.push_str(next);
            }
            let code = code.split("%}").next().unwrap_or_default().to_owned();
            match opening {
                "< {%" => reader.present.before.push(code),
                _ => reader.present.behind.push(code),
            }
            continue;
        }
        reader.line(index + 1, line);
    }
    reader.end();
    let variables = reader.done.first_mut().map(|first| std::mem::take(&mut first.variables));
    (reader.done, variables.unwrap_or_default())
}

struct Reader {
    done: Vec<Written>,
    present: Written,
    part: Part,
}

impl Reader {
    fn end(&mut self) {
        let mut present = std::mem::take(&mut self.present);
        let is_blank = |line: &BodyLine| matches!(line, BodyLine::Text(text) if text.trim().is_empty());
        // Comments behind an empty line belong to the next request, or to a request without a body.
        let is_comment =
            |line: &BodyLine| matches!(line, BodyLine::Text(text) if comment(text.trim_start()).is_some());
        let kept = present.body.iter().rposition(|line| !is_blank(line) && !is_comment(line));
        let kept = kept.map_or(0, |last| last + 1);
        let is_apart = present.body.get(kept).is_none_or(|line| kept == 0 || is_blank(line));
        if is_apart {
            present.body.truncate(kept);
        }
        while present.body.last().is_some_and(is_blank) {
            present.body.pop();
        }
        if !present.url.is_empty() {
            self.done.push(present);
        } else if self.part == Part::Before {
            // What stands before a request alone goes with the next one.
            self.present.variables = present.variables;
        }
        self.part = Part::Before;
    }

    fn line(&mut self, number: usize, line: &str) {
        if let Some(name) = line.strip_prefix("###") {
            self.end();
            let name = name.trim_matches(['#', ' ', '\t']);
            self.present.name = (!name.is_empty()).then(|| name.to_owned());
            return;
        }
        match self.part {
            Part::Before => self.before(number, line),
            Part::Head => self.head(line),
            Part::Body => self.body(line),
        }
    }

    fn before(&mut self, number: usize, line: &str) {
        let trimmed = line.trim();
        if let Some(comment) = comment(trimmed) {
            return self.setting(comment);
        }
        if let Some((name, value)) = trimmed.strip_prefix('@').and_then(|rest| rest.split_once('=')) {
            return self.present.variables.push((name.trim().to_owned(), value.trim().to_owned()));
        }
        if trimmed.is_empty() {
            return;
        }
        let words: Vec<&str> = trimmed.split_whitespace().collect();
        let is_method = |word: &str| word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'-');
        let words = match words.split_last() {
            Some((last, others)) if last.starts_with("HTTP/") && !others.is_empty() => others,
            _ => words.as_slice(),
        };
        let (method, url) = match words {
            [method, rest @ ..] if is_method(method) && !rest.is_empty() => (*method, rest.join(" ")),
            words => ("GET", words.join(" ")),
        };
        self.present.line = number;
        self.present.method = method.to_owned();
        self.present.url = url;
        self.part = Part::Head;
    }

    /// Reads what a comment before a request says.
    fn setting(&mut self, comment: &str) {
        let (key, value) = comment.split_once([' ', '=']).unwrap_or((comment, ""));
        let value = value.trim_matches(['=', ' ']);
        let present = &mut self.present;
        match key {
            "@name" => present.name = Some(value.to_owned()),
            "@no-redirect" => present.follows_none = true,
            "@no-cookie-jar" => present.drops_cookies = true,
            "@timeout" => {
                let number = value.split_whitespace().next().unwrap_or_default();
                let milliseconds = value.ends_with("ms");
                let number = number.trim_end_matches(|c: char| !c.is_ascii_digit()).parse::<f64>().ok();
                present.timeout = number.map(|number| if milliseconds { number / 1e3 } else { number });
            }
            _ => {}
        }
    }

    fn head(&mut self, line: &str) {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            self.part = Part::Body;
        } else if comment(trimmed).is_some() {
        } else if self.present.headers.is_empty() && line.starts_with([' ', '\t']) && !trimmed.contains(": ")
            || trimmed.starts_with(['?', '&'])
        {
            // The address goes on.
            let goes_on = trimmed.split(" HTTP/").next().unwrap_or_default();
            self.present.url.push_str(goes_on);
        } else if is_answer(trimmed) {
            self.body(line);
        } else if let Some((name, value)) = trimmed.split_once(':') {
            self.present.headers.push((name.trim().to_owned(), value.trim().to_owned()));
        } else {
            self.present.headers.push((trimmed.to_owned(), String::new()));
        }
    }

    fn body(&mut self, line: &str) {
        let file = |rest: &str| rest.trim().to_owned();
        if is_answer(line) {
            // A script in a file does what cannot be read; where answers are written does not matter.
            if let Some(path) = line.strip_prefix("> ").filter(|path| path.trim().ends_with(".js")) {
                self.present.behind.push(format!("// {path}"));
            }
            return;
        }
        let body = match line {
            line if line.starts_with("<@") => {
                let rest = &line[2..];
                // An encoding may stand between.
                let rest = rest
                    .strip_prefix(|c: char| c.is_ascii_alphabetic())
                    .map_or(rest, |_| rest.split_once(' ').map_or(rest, |(_, path)| path));
                BodyLine::File { path: file(rest), has_variables: true }
            }
            line if line.starts_with("< ") => BodyLine::File { path: file(&line[2..]), has_variables: false },
            line => BodyLine::Text(line.to_owned()),
        };
        let is_blank = matches!(&body, BodyLine::Text(text) if text.trim().is_empty());
        if !self.present.body.is_empty() || !is_blank {
            self.present.body.push(body);
        }
    }
}

/// Whether a line says what is done with the answer.
fn is_answer(line: &str) -> bool {
    ["> ", ">> ", ">>! ", "<> "].iter().any(|sign| line.starts_with(sign))
}

/// Returns the text of a comment.
fn comment(line: &str) -> Option<&str> {
    let text = line.strip_prefix('#').or_else(|| line.strip_prefix("//"))?;
    Some(text.trim())
}
