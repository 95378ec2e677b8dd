//! Splits a text into commands and words as bash does, as far as command lines of curl need it.

use crate::remark::{Obstacle, Place, Unsupported};

/// A command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Command {
    /// The line on which it begins, from 1.
    pub(super) line: usize,
    /// Its words, without quotes. A variable of the shell stands in marks ([`marked`]).
    pub(super) words: Vec<String>,
}

/// What stands around the name of a variable of the shell in a word. No text has these characters, which Unicode leaves to programs.
const MARKS: [char; 2] = ['\u{f8f0}', '\u{f8f1}'];

/// Returns a variable of the shell as words have it.
fn marked(name: &str) -> String {
    format!("{}{name}{}", MARKS[0], MARKS[1])
}

/// Replaces the shell's variables by variables of the environment.
pub(super) fn unmarked(text: &str) -> String {
    text.replace(MARKS[0], "${env('").replace(MARKS[1], "')}")
}

/// Whether a text has variables of the shell.
pub(crate) fn has_variable(text: &str) -> bool {
    text.contains(MARKS[0])
}

/// Splits a text into commands. What cannot be split is added to `obstacles`, and its command is left out.
pub(super) fn commands(text: &str, obstacles: &mut Vec<Obstacle>) -> Vec<Command> {
    let mut lexer = Lexer {
        characters: text.chars().collect(),
        at: 0,
        line: 1,
        commands: Vec::new(),
        command: Command::default(),
        word: None,
        trouble: None,
    };
    lexer.run();
    let Lexer { commands, .. } = lexer;
    let mut right = Vec::new();
    for (command, trouble) in commands {
        match trouble {
            None => right.push(command),
            Some(what) => obstacles.push(Obstacle { place: Some(Place::Line(command.line)), what }),
        }
    }
    right
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
                '^' if self.peek() == Some('"') => self.refuse(Unsupported::CmdQuotes),
                '#' if self.word.is_none() => self.comment(),
                '\n' | ';' => self.end_command(),
                '&' | '|' => self.operator(c),
                '<' | '>' => self.redirection(c),
                c if c.is_whitespace() => self.end_word(),
                c => self.push(c),
            }
        }
        self.end_command();
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
            self.drop_pipe();
        }
        self.end_command();
    }

    /// Leaves out the commands that only show the answer.
    fn drop_pipe(&mut self) {
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
        for _ in rest[..end].chars() {
            self.next();
        }
    }

    /// Leaves out where the output goes: `> file`, `2>&1`. Input from elsewhere is refused.
    fn redirection(&mut self, c: char) {
        if c == '<' {
            self.refuse(Unsupported::Stdin);
            return;
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
                Some('\\') => match self.next() {
                    Some('\n') | None => {}
                    Some(c @ ('$' | '`' | '"' | '\\')) => self.push(c),
                    Some(c) => {
                        self.push('\\');
                        self.push(c);
                    }
                },
                Some('$') => self.dollar(true),
                Some('`') => self.refuse(Unsupported::Shell("`".to_owned())),
                Some(c) => self.push(c),
                None => return self.refuse(Unsupported::OpenQuote),
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
            Some('(') => self.refuse(Unsupported::Shell("$(".to_owned())),
            Some('{') => {
                self.next();
                let name = self.take_while(|c| c != '}');
                self.next();
                match name.chars().all(is_of_name) && !name.is_empty() {
                    true => self.begin_word().push_str(&marked(&name)),
                    false => self.refuse(Unsupported::Shell(format!("${{{name}}}"))),
                }
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let name = self.take_while(is_of_name);
                self.begin_word().push_str(&marked(&name));
            }
            _ => self.push('$'),
        }
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

    fn words(text: &str) -> Vec<Vec<String>> {
        let mut obstacles = Vec::new();
        let commands = commands(text, &mut obstacles);
        assert_eq!(obstacles, []);
        commands.into_iter().map(|command| command.words).collect()
    }

    #[test]
    fn words_are_split_as_bash_does() {
        for (text, expected) in [
            ("curl a 'b c' \"d \\\"e\\\" \\x\"", vec!["curl", "a", "b c", "d \"e\" \\x"]),
            ("curl \\\n  a\\ b''", vec!["curl", "a b"]),
            ("curl $'a\\nb\\u0021\\x41\\101\\'' # no", vec!["curl", "a\nb!AA'"]),
            ("curl $'\\uD83D\\uDE00'", vec!["curl", "😀"]),
            ("curl '' $5 a#b", vec!["curl", "", "$5", "a#b"]),
            ("curl a 2>/dev/null | jq .", vec!["curl", "a"]),
        ] {
            assert_eq!(words(text), [expected], "{text}");
        }
        assert_eq!(words("curl a; curl b && curl c\n\ncurl d\r\n").len(), 4);
        let variable = &words("curl \"$HOST/${PATH}x\"")[0][1];
        assert_eq!(unmarked(variable), "${env('HOST')}/${env('PATH')}x");
    }

    #[test]
    fn what_a_load_does_not_have_is_told_with_its_line() {
        for (text, what) in [
            ("\ncurl $(cat x)", Unsupported::Shell("$(".to_owned())),
            ("\ncurl `cat x`", Unsupported::Shell("`".to_owned())),
            ("\ncurl a | sh", Unsupported::Shell("|".to_owned())),
            ("\ncurl 'a", Unsupported::OpenQuote),
            ("\ncurl ^\"a^\"", Unsupported::CmdQuotes),
            ("\ncurl ${a:-b}", Unsupported::Shell("${a:-b}".to_owned())),
            ("\ncurl -d @- < x", Unsupported::Stdin),
        ] {
            let mut obstacles = Vec::new();
            commands(text, &mut obstacles);
            let expected = Obstacle { place: Some(Place::Line(2)), what };
            assert_eq!(obstacles, [expected], "{text}");
        }
    }
}
