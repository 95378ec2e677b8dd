//! Splits a text into commands and words as bash does, as far as command lines of curl need it.

use crate::marks::marked;
use crate::remark::Unsupported;

/// A command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Command {
    /// The line on which it begins, from 1.
    pub(super) line: usize,
    /// Its words, without quotes. A variable of the shell stands in marks ([`crate::marks`]), and so does a command whose output is used.
    pub(super) words: Vec<String>,
    /// What it reads from its standard input: the text of a here-document.
    pub(super) stdin: Option<String>,
    /// The command that gets its output, as it is written.
    pub(super) pipe: Option<String>,
}

/// What stands around a command whose output is used.
pub(super) const COMMAND_MARKS: [char; 2] = ['\u{f8f2}', '\u{f8f3}'];

/// Splits a text into commands, each with what cannot be split in it.
pub(super) fn commands(text: &str) -> Vec<(Command, Option<Unsupported>)> {
    let mut lexer = Lexer { characters: text.chars().collect(), ..Lexer::empty(1) };
    lexer.run();
    lexer.commands
}

/// A here-document whose lines come behind the present line.
struct Here {
    delimiter: String,
    /// Whether tabs before its lines are left out.
    is_indented: bool,
    /// Whether variables have their values in it.
    has_variables: bool,
}

struct Lexer {
    characters: Vec<char>,
    at: usize,
    line: usize,
    /// The commands that have ended, each with what is not supported in it.
    commands: Vec<(Command, Option<Unsupported>)>,
    command: Command,
    word: Option<String>,
    trouble: Option<Unsupported>,
    here: Option<Here>,
}

impl Lexer {
    fn next(&mut self) -> Option<char> {
        let c = self.characters.get(self.at).copied()?;
        self.at += 1;
        self.line += usize::from(c == '\n');
        Some(c)
    }

    fn peek(&self) -> Option<char> {
        self.characters.get(self.at).copied()
    }

    fn push(&mut self, c: char) {
        self.begin_word().push(c);
    }

    fn begin_word(&mut self) -> &mut String {
        if self.command.words.is_empty() && self.word.is_none() {
            self.command.line = self.line;
        }
        self.word.get_or_insert_default()
    }

    fn end_word(&mut self) {
        self.command.words.extend(self.word.take());
    }

    fn end_command(&mut self) {
        self.end_word();
        let command = std::mem::take(&mut self.command);
        let trouble = self.trouble.take();
        if !command.words.is_empty() || trouble.is_some() {
            self.commands.push((command, trouble));
        }
    }

    fn refuse(&mut self, what: Unsupported) {
        self.trouble.get_or_insert(what);
    }

    fn run(&mut self) {
        while let Some(c) = self.next() {
            match c {
                '\\' => match self.next() {
                    // In a file that was written on Windows the line ends in two characters.
                    Some('\r') if self.peek() == Some('\n') => drop(self.next()),
                    Some('\n') | None => {}
                    Some(c) => self.push(c),
                },
                '\'' => self.single_quotes(),
                '"' => self.double_quotes(),
                '$' => self.dollar(false),
                '`' => self.refuse(Unsupported::Shell("`".to_owned())),
                '#' if self.word.is_none() => self.comment(),
                '\n' => self.end_line(),
                ';' => self.end_command(),
                '&' | '|' => self.operator(c),
                '<' | '>' => self.redirection(c),
                c if c.is_whitespace() => self.end_word(),
                c => self.push(c),
            }
        }
        self.end_command();
    }

    /// Ends a line, and takes the here-document that comes behind it.
    fn end_line(&mut self) {
        let Some(here) = self.here.take() else {
            return self.end_command();
        };
        let mut text = String::new();
        loop {
            if self.peek().is_none() {
                self.refuse(Unsupported::OpenQuote);
                break;
            }
            let line = self.take_while(|c| c != '\n');
            self.next();
            let line = line.trim_end_matches('\r');
            let line = if here.is_indented { line.trim_start_matches('\t') } else { line };
            if line == here.delimiter {
                break;
            }
            text.push_str(line);
            text.push('\n');
        }
        if here.has_variables {
            let mut inner = Self { characters: text.chars().collect(), here: None, ..Self::empty(self.line) };
            inner.quoted_text();
            text = inner.word.take().unwrap_or_default();
            self.trouble = self.trouble.take().or(inner.trouble);
        }
        self.end_word();
        // Behind a pipe, the command has ended already.
        match self.commands.last_mut().filter(|_| self.command.words.is_empty()) {
            Some((command, trouble)) => {
                command.stdin = Some(text);
                *trouble = trouble.take().or(self.trouble.take());
            }
            None => self.command.stdin = Some(text),
        }
        self.end_command();
    }

    const fn empty(line: usize) -> Self {
        let command = Command { line, words: Vec::new(), stdin: None, pipe: None };
        Self {
            characters: Vec::new(),
            at: 0,
            line,
            commands: Vec::new(),
            command,
            word: None,
            trouble: None,
            here: None,
        }
    }

    /// Reads all that is left, a here-document: as between double quotes, which mean nothing here.
    fn quoted_text(&mut self) {
        self.begin_word();
        while let Some(c) = self.next() {
            match c {
                '\\' if self.peek() != Some('"') => self.quoted_escape(),
                '$' => self.dollar(true),
                '`' => self.refuse(Unsupported::Shell("`".to_owned())),
                c => self.push(c),
            }
        }
    }

    fn comment(&mut self) {
        while self.peek().is_some_and(|c| c != '\n') {
            self.next();
        }
    }

    /// `&&`, `&` and `||` end a command; a pipe takes the output of one to another, which a load does not have.
    fn operator(&mut self, c: char) {
        let is_double = self.peek() == Some(c);
        if is_double {
            self.next();
        } else if c == '|' {
            self.end_word();
            self.take_pipe();
        }
        self.end_command();
    }

    /// Takes the commands that get the answer, and refuses those that do more than show it.
    fn take_pipe(&mut self) {
        let rest: String = self.characters[self.at..].iter().collect();
        let end = rest.find(['\n', ';']).unwrap_or(rest.len());
        let shows = [
            "jq", "less", "head", "tail", "cat", "tee", "grep", "python", "json_pp", "sed", "awk", "sort",
            "wc",
        ];
        let program = rest[..end].split_whitespace().next().unwrap_or_default();
        if !shows.iter().any(|show| program.starts_with(show)) {
            self.refuse(Unsupported::Shell("|".to_owned()));
        }
        self.command.pipe = Some(rest[..end].trim().to_owned());
        for _ in rest[..end].chars() {
            self.next();
        }
    }

    /// Leaves out where the output goes: `> file`, `2>&1`. Input from elsewhere is refused.
    fn redirection(&mut self, c: char) {
        if c == '<' {
            return self.input();
        }
        // The number before it names a stream.
        if self.word.as_deref().is_some_and(|word| word.parse::<u8>().is_ok()) {
            self.word = None;
        }
        self.end_word();
        while self.peek().is_some_and(|c| matches!(c, '>' | '&' | ' ')) {
            self.next();
        }
        while self.peek().is_some_and(|c| !c.is_whitespace() && c != ';') {
            self.next();
        }
    }

    /// Input from elsewhere: a here-document, or a file, which is refused.
    fn input(&mut self) {
        if self.peek() != Some('<') {
            return self.refuse(Unsupported::Stdin);
        }
        self.next();
        self.end_word();
        let is_indented = self.peek() == Some('-');
        if is_indented {
            self.next();
        }
        if self.peek() == Some('<') {
            return self.refuse(Unsupported::Stdin);
        }
        self.take_while(|c| c == ' ');
        let written = self.take_while(|c| !c.is_whitespace() && !";|&".contains(c));
        let delimiter: String = written.chars().filter(|c| !"'\"\\".contains(*c)).collect();
        let has_variables = delimiter == written;
        self.here = Some(Here { delimiter, is_indented, has_variables });
    }

    fn single_quotes(&mut self) {
        self.begin_word();
        loop {
            match self.next() {
                Some('\'') => return,
                Some(c) => self.push(c),
                None => return self.refuse(Unsupported::OpenQuote),
            }
        }
    }

    fn double_quotes(&mut self) {
        self.begin_word();
        loop {
            match self.next() {
                Some('"') => return,
                Some('\\') => self.quoted_escape(),
                Some('$') => self.dollar(true),
                Some('`') => self.refuse(Unsupported::Shell("`".to_owned())),
                Some(c) => self.push(c),
                None => return self.refuse(Unsupported::OpenQuote),
            }
        }
    }

    /// What follows a backslash between double quotes.
    fn quoted_escape(&mut self) {
        match self.next() {
            Some('\n') | None => {}
            Some(c @ ('$' | '`' | '"' | '\\')) => self.push(c),
            Some(c) => {
                self.push('\\');
                self.push(c);
            }
        }
    }

    /// What begins with a dollar: a text with escapes, a variable, or the output of a command.
    fn dollar(&mut self, is_quoted: bool) {
        match self.peek() {
            Some('\'') if !is_quoted => {
                self.next();
                self.ansi_quotes();
            }
            Some('(') => self.command_output(),
            Some('{') => {
                self.next();
                let written = self.take_while(|c| c != '}');
                self.next();
                self.variable(&written);
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let name = self.take_while(is_of_name);
                self.begin_word().push_str(&marked(&name));
            }
            Some(c) if c.is_ascii_digit() || "@*#?!".contains(c) => {
                self.refuse(Unsupported::Shell(format!("${c}")));
            }
            _ => self.push('$'),
        }
    }

    /// A variable as it is written between braces; `NAME:-text` has this text unless the script sets it.
    fn variable(&mut self, written: &str) {
        let is_name = |name: &str| !name.is_empty() && name.chars().all(is_of_name);
        let (name, usual) = match written.split_once(":-").or_else(|| written.split_once('-')) {
            Some((name, usual)) => (name, Some(usual)),
            None => (written, None),
        };
        let is_plain = usual.is_none_or(|usual| !usual.contains(['$', '`', '"', '\'', '\\']));
        match is_name(name) && is_plain && !name.starts_with(|c: char| c.is_ascii_digit()) {
            true => self.begin_word().push_str(&marked(&match usual {
                Some(usual) => format!("{name}:-{usual}"),
                None => name.to_owned(),
            })),
            false => self.refuse(Unsupported::Shell(format!("${{{written}}}"))),
        }
    }

    /// A command whose output is used: `$(curl …)`.
    fn command_output(&mut self) {
        self.next();
        let (mut depth, mut quote) = (1, None);
        let mut inner = String::new();
        while let Some(c) = self.next() {
            match (c, quote) {
                ('\\', Some('"') | None) => {
                    inner.push(c);
                    inner.extend(self.next());
                    continue;
                }
                ('\'' | '"', None) => quote = Some(c),
                (c, Some(open)) if c == open => quote = None,
                ('(', None) => depth += 1,
                (')', None) => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let marked = format!("{}{inner}{}", COMMAND_MARKS[0], COMMAND_MARKS[1]);
                self.begin_word().push_str(&marked);
                return;
            }
            inner.push(c);
        }
        self.refuse(Unsupported::OpenQuote);
    }

    fn take_while(&mut self, fits: impl Fn(char) -> bool) -> String {
        let mut taken = String::new();
        while let Some(c) = self.peek().filter(|c| fits(*c)) {
            taken.push(c);
            self.next();
        }
        taken
    }

    /// A text with the escapes of C: `$'a\n'`.
    fn ansi_quotes(&mut self) {
        self.begin_word();
        loop {
            match self.next() {
                Some('\'') => return,
                Some('\\') => self.escape(),
                Some(c) => self.push(c),
                None => return self.refuse(Unsupported::OpenQuote),
            }
        }
    }

    fn escape(&mut self) {
        let Some(c) = self.next() else { return };
        let code = match c {
            'n' => Some(0x0a),
            't' => Some(0x09),
            'r' => Some(0x0d),
            'a' => Some(0x07),
            'b' => Some(0x08),
            'e' | 'E' => Some(0x1b),
            'f' => Some(0x0c),
            'v' => Some(0x0b),
            'x' => self.digits(16, 2),
            'u' => self.digits(16, 4),
            'U' => self.digits(16, 8),
            '0'..='7' => {
                self.at -= 1;
                self.digits(8, 3)
            }
            _ => None,
        };
        match code {
            Some(code) => self.code_point(code),
            None if matches!(c, '\\' | '\'' | '"' | '?') => self.push(c),
            None => {
                self.push('\\');
                self.push(c);
            }
        }
    }

    /// Adds a character by its code. Two halves of a pair of UTF-16 are one character, as browsers write them.
    fn code_point(&mut self, code: u32) {
        let rest: String = self.characters[self.at..].iter().take(6).collect();
        let low = rest.strip_prefix("\\u").and_then(|low| u32::from_str_radix(low, 16).ok());
        match (code, low) {
            (0xd800..=0xdbff, Some(low @ 0xdc00..=0xdfff)) => {
                self.at += 6;
                let code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                self.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            _ => self.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)),
        }
    }

    fn digits(&mut self, radix: u32, most: usize) -> Option<u32> {
        let mut code = None;
        for _ in 0..most {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(radix)) else {
                break;
            };
            self.next();
            code = Some(code.unwrap_or(0_u32).wrapping_mul(radix) + digit);
        }
        code
    }
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::marks::unmarked;

    fn words(text: &str) -> Vec<Vec<String>> {
        let word = |(command, trouble): (Command, Option<Unsupported>)| {
            assert_eq!(trouble, None, "{text}");
            command.words
        };
        commands(text).into_iter().map(word).collect()
    }

    #[test]
    fn words_are_split_as_bash_does() {
        for (text, expected) in [
            ("curl a 'b c' \"d \\\"e\\\" \\x\"", vec!["curl", "a", "b c", "d \"e\" \\x"]),
            ("curl \\\n  a\\ b''", vec!["curl", "a b"]),
            ("curl $'a\\nb\\u0021\\x41\\101\\'' # no", vec!["curl", "a\nb!AA'"]),
            ("curl $'\\uD83D\\uDE00'", vec!["curl", "😀"]),
            ("curl '' $ a#b", vec!["curl", "", "$", "a#b"]),
            ("curl a 2>/dev/null | jq .", vec!["curl", "a"]),
        ] {
            assert_eq!(words(text), [expected], "{text}");
        }
        assert_eq!(words("curl a; curl b && curl c\n\ncurl d\r\n").len(), 4);
        let variable = &words("curl \"$HOST/${PATH}x\"")[0][1];
        assert_eq!(unmarked(variable, |name| format!("<{name}>")), "<HOST>/<PATH>x");
        let here = commands("curl -d @- h <<EOF | jq .\n{\"a\": \"$B\"}\nEOF\ncurl i <<'X'\n$C\nX\n");
        let read: Vec<&str> = here.iter().filter_map(|(command, _)| command.stdin.as_deref()).collect();
        assert_eq!(read, [format!("{{\"a\": \"{}\"}}\n", marked("B")).as_str(), "$C\n"]);
        assert_eq!(here[0].0.words, ["curl", "-d", "@-", "h"]);
    }

    #[test]
    fn what_a_load_does_not_have_is_told_with_its_line() {
        for (text, what) in [
            ("\ncurl $1", Unsupported::Shell("$1".to_owned())),
            ("\ncurl `cat x`", Unsupported::Shell("`".to_owned())),
            ("\ncurl a | sh", Unsupported::Shell("|".to_owned())),
            ("\ncurl 'a", Unsupported::OpenQuote),
            ("\ncurl ${a%b}", Unsupported::Shell("${a%b}".to_owned())),
            ("\ncurl -d @- < x", Unsupported::Stdin),
        ] {
            let found = commands(text);
            let found: Vec<_> = found
                .iter()
                .filter_map(|(command, trouble)| Some((command.line, trouble.clone()?)))
                .collect();
            assert_eq!(found, [(2, what)], "{text}");
        }
    }
}
