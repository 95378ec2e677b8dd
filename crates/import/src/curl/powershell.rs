//! Reads calls as they are written for PowerShell: `curl.exe`, and `Invoke-WebRequest`, as which browsers copy a request.

use super::call::{self, Call};
use super::step::steps;
use crate::address::encoded_but;
use crate::remark::{Place, Unsupported};
use crate::request::StepMaker;
use std::collections::BTreeMap;

/// Names of the commands that send a request, in small letters.
pub(super) const CALLS: [&str; 2] = ["invoke-webrequest", "invoke-restmethod"];
/// Their short names.
const SHORT: [&str; 2] = ["iwr", "irm"];
/// Parameters without a value, and parameters that do not change the request.
const SWITCHES: [&str; 6] = [
    "usebasicparsing",
    "skipcertificatecheck",
    "passthru",
    "verbose",
    "skiphttperrorcheck",
    "disablekeepalive",
];
const IDLE: [&str; 7] = [
    "outfile",
    "websession",
    "sessionvariable",
    "erroraction",
    "outvariable",
    "maximumretrycount",
    "retryintervalsec",
];

/// The entries of a table.
type Pairs = Vec<(String, String)>;

/// A word of PowerShell.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    /// A bare word or a text in quotes.
    Word(String),
    /// `@{ name = value; … }`.
    Table(Pairs),
    /// What is in parentheses, as it is written.
    Group(String),
}

/// Reads all calls, and tells whether cookies are kept.
pub(super) fn read(text: &str, maker: &mut StepMaker) -> bool {
    let mut session = Session::default();
    for (line, command) in commands(text) {
        let place = Place::Line(line);
        match tokens(&command, &session) {
            Ok(tokens) => session.command(&tokens, place, maker),
            Err(what) => maker.refuse(place, what),
        }
    }
    session.keeps_cookies
}

/// What a script has set.
#[derive(Debug, Default)]
struct Session {
    variables: BTreeMap<String, String>,
    tables: BTreeMap<String, Pairs>,
    agent: Option<String>,
    cookies: Vec<String>,
    keeps_cookies: bool,
}

impl Session {
    fn command(&mut self, tokens: &[Token], place: Place, maker: &mut StepMaker) {
        let word = |at: usize| match tokens.get(at) {
            Some(Token::Word(word)) => word.as_str(),
            _ => "",
        };
        let first = word(0).to_ascii_lowercase();
        if let Some(name) = first.strip_prefix('$') {
            return match tokens {
                // What a call answers is kept in a variable.
                [_, Token::Word(equals), Token::Word(call), ..] if equals == "=" && is_call(call) => {
                    self.command(&tokens[2..], place, maker);
                }
                _ => self.assign(name, tokens),
            };
        }
        match first.as_str() {
            "" | "write-host" | "write-output" | "echo" => {}
            "start-sleep" => {
                if let (Ok(seconds), Some(step)) = (word(tokens.len() - 1).parse(), maker.steps.last_mut()) {
                    step.think = Some(seconds);
                }
            }
            "curl.exe" | "curl" => {
                let words: Vec<String> = (1..tokens.len()).map(|at| word(at).to_owned()).collect();
                let before = maker.obstacles.len();
                let call = call::read(&words, None, place, maker);
                self.keeps_cookies |= call.keeps_cookies;
                if maker.obstacles.len() == before {
                    steps(call, place, maker);
                }
            }
            name if is_call(name) => {
                if let Some(call) = self.call(&tokens[1..], place, maker) {
                    steps(call, place, maker);
                }
            }
            _ => maker.refuse(place, Unsupported::Command(word(0).to_owned())),
        }
    }

    /// Reads `$name = value`, `$session.UserAgent = "…"` and `$session.Cookies.Add((New-Object System.Net.Cookie("a", "b", …)))`.
    fn assign(&mut self, name: &str, tokens: &[Token]) {
        if name.ends_with(".cookies.add") {
            if let Some(Token::Group(group)) = tokens.get(1) {
                let texts: Vec<&str> = group.split('"').skip(1).step_by(2).collect();
                if let [name, value, ..] = texts.as_slice() {
                    self.cookies.push(format!("{name}={value}"));
                }
            }
            return;
        }
        if let [_, Token::Word(equals), Token::Table(entries)] = tokens
            && equals == "="
        {
            self.tables.insert(name.to_owned(), entries.clone());
        }
        if let [_, Token::Word(equals), Token::Word(value)] = tokens
            && equals == "="
        {
            match name.ends_with(".useragent") {
                true => self.agent = Some(value.clone()),
                false => _ = self.variables.insert(name.to_owned(), value.clone()),
            }
        }
    }

    /// Reads the parameters of `Invoke-WebRequest`.
    fn call(&self, tokens: &[Token], place: Place, maker: &mut StepMaker) -> Option<Call> {
        let mut call = Call { follows: true, redirects: Some(5), ..Call::default() };
        call.headers.extend(self.agent.iter().map(|agent| ("User-Agent".to_owned(), agent.clone())));
        call.cookies.clone_from(&self.cookies);
        let before = maker.obstacles.len();
        let mut tokens = tokens.iter();
        let (mut content_type, mut is_form) = (None, false);
        while let Some(token) = tokens.next() {
            let name = match token {
                Token::Word(word) if word == "|" || word == ">" => break,
                Token::Word(word) if word.starts_with('-') => word[1..].to_ascii_lowercase(),
                Token::Word(word) => {
                    call.urls.push(word.clone());
                    continue;
                }
                Token::Table(_) | Token::Group(_) => continue,
            };
            if SWITCHES.contains(&name.as_str()) {
                continue;
            }
            match (name.as_str(), tokens.next()) {
                ("uri", Some(Token::Word(url))) => call.urls.push(url.clone()),
                ("method", Some(Token::Word(method))) => call.method = Some(method.to_ascii_uppercase()),
                ("headers", Some(Token::Table(headers))) => call.headers.extend(headers.iter().cloned()),
                ("body", Some(Token::Word(body))) => call.data = Some(body.clone()),
                ("body", Some(Token::Table(fields))) => {
                    call.data = Some(form(fields));
                    is_form = true;
                }
                ("contenttype", Some(Token::Word(value))) => content_type = Some(value.clone()),
                ("useragent", Some(Token::Word(value))) => {
                    call.headers.push(("User-Agent".to_owned(), value.clone()))
                }
                ("infile", Some(Token::Word(file))) => call.file = Some((file.clone(), false)),
                ("timeoutsec", Some(Token::Word(seconds))) => call.timeout = seconds.parse().ok(),
                ("maximumredirection", Some(Token::Word(most))) => call.redirects = most.parse().ok(),
                (name, _) if IDLE.contains(&name) => {}
                (name, _) => maker.refuse(place, Unsupported::PowerShell(format!("-{name}"))),
            }
        }
        // A table is the query of a request that has no body.
        call.is_get = is_form && call.method.as_deref().is_none_or(|method| method == "GET");
        if let Some(value) = content_type {
            call.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
            call.headers.push(("Content-Type".to_owned(), value));
        } else if call.method.as_deref() != Some("POST") {
            call.taken.push("Content-Type".to_owned());
        }
        (maker.obstacles.len() == before).then_some(call)
    }
}

/// Whether a word, in whatever case, is a command that sends a request.
fn is_call(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    CALLS.contains(&word.as_str()) || SHORT.contains(&word.as_str())
}

/// Writes a table as a form, as PowerShell 7 encodes it.
fn form(fields: &[(String, String)]) -> String {
    let encode = |text: &str| {
        let words = text.split(' ').map(|word| encoded_but(word, b"-_.!*()"));
        words.collect::<Vec<_>>().join("+")
    };
    let fields = fields.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value)));
    fields.collect::<Vec<_>>().join("&")
}

/// Splits a text into commands, each with its line: a command goes on behind a backtick, and within quotes and brackets.
fn commands(text: &str) -> Vec<(usize, String)> {
    let text = text.replace("\r\n", "\n");
    let mut characters = text.chars().peekable();
    let mut commands = Vec::new();
    let (mut command, mut line, mut begun) = (String::new(), 1, 1);
    let (mut depth, mut quote) = (0_i32, None);
    while let Some(c) = characters.next() {
        line += usize::from(c == '\n');
        match (c, quote) {
            ('`', None) if characters.peek() == Some(&'\n') => {
                characters.next();
                line += 1;
                command.push(' ');
                continue;
            }
            ('`', Some('"') | None) => {
                command.push(c);
                command.extend(characters.next());
                continue;
            }
            ('#', None) if command.trim().is_empty() || command.ends_with(' ') => {
                while characters.next_if(|c| *c != '\n').is_some() {}
                continue;
            }
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            ('{' | '(', None) => depth += 1,
            ('}' | ')', None) => depth -= 1,
            ('\n' | ';', None) if depth == 0 => {
                commands.push((begun, std::mem::take(&mut command)));
                begun = line;
                continue;
            }
            _ => {}
        }
        if command.trim().is_empty() {
            begun = line;
        }
        command.push(c);
    }
    commands.push((begun, command));
    commands.retain(|(_, command)| !command.trim().is_empty());
    commands
}

/// Splits a command into its words.
fn tokens(command: &str, session: &Session) -> Result<Vec<Token>, Unsupported> {
    let mut reader = Reader { rest: command, variables: &session.variables };
    let mut tokens = Vec::new();
    while let Some(c) = reader.skip_blanks() {
        tokens.push(match c {
            '@' if reader.rest.starts_with("@{") => Token::Table(reader.table()?),
            '(' => Token::Group(reader.group()?),
            _ => {
                let word = reader.value()?;
                let table =
                    word.strip_prefix('$').and_then(|name| session.tables.get(&name.to_ascii_lowercase()));
                table.cloned().map_or(Token::Word(word), Token::Table)
            }
        });
    }
    Ok(tokens)
}

struct Reader<'a> {
    rest: &'a str,
    variables: &'a BTreeMap<String, String>,
}

impl Reader<'_> {
    fn skip_blanks(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    /// Reads a text in quotes or a bare word.
    fn value(&mut self) -> Result<String, Unsupported> {
        match self.rest.chars().next() {
            Some('\'') => self.plain_text(),
            Some('"') => self.text(),
            _ => {
                let ends = |c: char| c.is_whitespace() || "(){};".contains(c);
                let end = self.rest.find(ends).unwrap_or(self.rest.len()).max(1);
                let (word, rest) = self.rest.split_at(end);
                self.rest = rest;
                let known =
                    word.strip_prefix('$').and_then(|name| self.variables.get(&name.to_ascii_lowercase()));
                let is_set = rest.trim_start().starts_with('=');
                Ok(known.filter(|_| !is_set).cloned().unwrap_or_else(|| word.to_owned()))
            }
        }
    }

    /// `'it''s'`.
    fn plain_text(&mut self) -> Result<String, Unsupported> {
        let mut out = String::new();
        let mut rest = &self.rest[1..];
        loop {
            let (before, behind) = rest.split_once('\'').ok_or(Unsupported::OpenQuote)?;
            out.push_str(before);
            match behind.strip_prefix('\'') {
                Some(more) => {
                    out.push('\'');
                    rest = more;
                }
                None => {
                    self.rest = behind;
                    return Ok(out);
                }
            }
        }
    }

    /// `"a`n$b"`.
    fn text(&mut self) -> Result<String, Unsupported> {
        let mut out = String::new();
        let mut characters = self.rest[1..].char_indices().peekable();
        while let Some((at, c)) = characters.next() {
            match c {
                '`' => match characters.next().map(|(_, c)| c) {
                    Some('n') => out.push('\n'),
                    Some('r') => out.push('\r'),
                    Some('t') => out.push('\t'),
                    Some('0') => out.push('\0'),
                    other => out.extend(other),
                },
                '"' if characters.peek().is_some_and(|(_, next)| *next == '"') => {
                    characters.next();
                    out.push('"');
                }
                '"' => {
                    self.rest = &self.rest[at + 2..];
                    return Ok(out);
                }
                '$' => {
                    let behind = &self.rest[at + 2..];
                    let bare = behind.trim_start_matches('{');
                    let length =
                        bare.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(bare.len());
                    let name = &bare[..length];
                    if name.is_empty() && !behind.starts_with(['(', '{']) {
                        out.push('$');
                        continue;
                    }
                    let value = self.variables.get(&name.to_ascii_lowercase());
                    out.push_str(value.ok_or_else(|| Unsupported::Shell(format!("${name}")))?);
                    let braces = (behind.len() - bare.len()) * 2;
                    (0..length + braces).for_each(|_| _ = characters.next());
                }
                c => out.push(c),
            }
        }
        Err(Unsupported::OpenQuote)
    }

    /// `@{ "Accept" = "text/html"; "A" = "b" }`.
    fn table(&mut self) -> Result<Vec<(String, String)>, Unsupported> {
        self.rest = &self.rest[2..];
        let mut entries = Vec::new();
        loop {
            match self.skip_blanks() {
                Some('}') => {
                    self.rest = &self.rest[1..];
                    return Ok(entries);
                }
                Some(';') => self.rest = &self.rest[1..],
                Some(_) => {
                    let bare = self.rest.find(['=', ' ']).unwrap_or(self.rest.len());
                    let name = match self.rest.starts_with(['"', '\'']) {
                        true => self.value()?,
                        false => {
                            let (name, rest) = self.rest.split_at(bare);
                            self.rest = rest;
                            name.to_owned()
                        }
                    };
                    self.skip_blanks();
                    self.rest = self.rest.strip_prefix('=').ok_or(Unsupported::OpenQuote)?;
                    self.skip_blanks();
                    entries.push((name, self.value()?));
                }
                None => return Err(Unsupported::OpenQuote),
            }
        }
    }

    /// What is in parentheses.
    fn group(&mut self) -> Result<String, Unsupported> {
        let (mut depth, mut is_quoted) = (0, false);
        for (at, c) in self.rest.char_indices() {
            match c {
                '"' => is_quoted = !is_quoted,
                '(' if !is_quoted => depth += 1,
                ')' if !is_quoted => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let group = self.rest[1..at].to_owned();
                self.rest = &self.rest[at + 1..];
                return Ok(group);
            }
        }
        Err(Unsupported::OpenQuote)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_powershell_does() {
        let text = "$session.UserAgent = \"Mozilla\"\n# no\nInvoke-WebRequest -Uri \"http://h/?a=`\"b`\"\" `\n-Headers @{\n\"A\"=\"1\"\n  B='it''s'\n}\n";
        let found = commands(text);
        assert_eq!(found.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [1, 3]);
        let word = |word: &str| Token::Word(word.to_owned());
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            tokens(&found[1].1, &Session::default()),
            Ok(vec![
                word("Invoke-WebRequest"),
                word("-Uri"),
                word("http://h/?a=\"b\""),
                word("-Headers"),
                Token::Table(vec![pair("A", "1"), pair("B", "it's")]),
            ])
        );
        let variables = BTreeMap::from([("base".to_owned(), "http://h".to_owned())]);
        let session = Session { variables, ..Session::default() };
        assert_eq!(
            tokens("irm \"$Base/${base}x\" '$Base'", &session),
            Ok(vec![word("irm"), word("http://h/http://hx"), word("$Base")])
        );
        assert!(tokens("irm \"$other\"", &session).is_err());
    }
}
