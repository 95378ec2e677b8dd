//! Reads calls of curl as they are written for cmd.exe on Windows, for example by "Copy as cURL (cmd)".

use super::call;
use super::step::steps;
use crate::remark::{Place, Unsupported};
use crate::request::StepMaker;

/// Reads all calls, and tells whether cookies are kept.
pub(super) fn read(text: &str, maker: &mut StepMaker) -> bool {
    let mut keeps_cookies = false;
    for (line, command) in lines(text) {
        let place = Place::Line(line);
        let words = match words(&command) {
            Ok(words) => words,
            Err(what) => {
                maker.refuse(place, what);
                continue;
            }
        };
        let Some((program, words)) = words.split_first() else {
            continue;
        };
        let program = program.to_ascii_lowercase();
        match program.rsplit(['\\', '/']).next().unwrap_or_default() {
            "curl" | "curl.exe" => {
                let before = maker.obstacles.len();
                let call = call::read(words, None, place, maker);
                keeps_cookies |= call.keeps_cookies;
                if maker.obstacles.len() == before {
                    steps(call, place, maker);
                }
            }
            "rem" | "@echo" | "echo" | "::" | "pause" => {}
            program => maker.refuse(place, Unsupported::Command(program.to_owned())),
        }
    }
    keeps_cookies
}

/// Splits a text into commands as cmd.exe does, each with its line, and takes the carets away. A caret makes the next character plain, and
/// before a line break it joins two lines, and the second line begins with a plain character.
fn lines(text: &str) -> Vec<(usize, String)> {
    let text = text.replace("\r\n", "\n");
    let mut characters = text.chars();
    let mut commands = Vec::new();
    let (mut command, mut line, mut begun) = (String::new(), 1, 1);
    let mut is_quoted = false;
    while let Some(c) = characters.next() {
        match c {
            '^' if !is_quoted => match characters.next() {
                Some('\n') => {
                    line += 1;
                    if let Some(plain) = characters.next() {
                        line += usize::from(plain == '\n');
                        command.push(plain);
                    }
                }
                plain => command.extend(plain),
            },
            '\n' => {
                commands.push((begun, std::mem::take(&mut command)));
                line += 1;
                begun = line;
                is_quoted = false;
            }
            // `& ` and `&&` end a command.
            '&' if !is_quoted => commands.push((begun, std::mem::take(&mut command))),
            c => {
                is_quoted ^= c == '"';
                command.push(c);
            }
        }
    }
    commands.push((begun, command));
    commands
}

/// Splits a command into words as programs of Windows do: backslashes before a quote stand for half as many, and an odd one makes the quote
/// plain.
fn words(command: &str) -> Result<Vec<String>, Unsupported> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut is_quoted = false;
    let mut characters = command.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\\' => {
                let mut count = 1;
                while characters.next_if_eq(&'\\').is_some() {
                    count += 1;
                }
                let is_before_quote = characters.peek() == Some(&'"');
                let kept = if is_before_quote { count / 2 } else { count };
                word.get_or_insert_default().extend(std::iter::repeat_n('\\', kept));
                if is_before_quote && count % 2 == 1 {
                    word.get_or_insert_default().extend(characters.next());
                }
            }
            '"' if is_quoted && characters.peek() == Some(&'"') => {
                word.get_or_insert_default().extend(characters.next());
            }
            '"' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            '|' if !is_quoted => break,
            '%' if is_variable(&characters.clone().collect::<String>()) => {
                return Err(Unsupported::Shell("%".to_owned()));
            }
            '%' => {
                characters.next_if_eq(&'%');
                word.get_or_insert_default().push('%');
            }
            c if c.is_whitespace() && !is_quoted => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    if is_quoted {
        return Err(Unsupported::OpenQuote);
    }
    words.extend(word);
    Ok(words)
}

/// Whether a percent sign before this text begins a variable: `%NAME%`.
fn is_variable(behind: &str) -> bool {
    let name = behind.split('%').next().unwrap_or_default();
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    behind.len() > name.len()
        && !name.is_empty()
        && name.chars().all(fits)
        && !name.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<Vec<String>> {
        lines(text)
            .iter()
            .map(|(_, command)| words(command).expect(text))
            .filter(|words| !words.is_empty())
            .collect()
    }

    #[test]
    fn words_are_split_as_windows_does() {
        for (text, expected) in [
            (
                "curl ^\"http://h/?a=1^&b=2^\" ^\r\n  -H ^\"A: b^\"",
                vec!["curl", "http://h/?a=1&b=2", "-H", "A: b"],
            ),
            (
                "curl --data-raw ^\"^{^\\^\"a^\\^\":^\\^\"50^%^\\^\"^}^\" h",
                vec!["curl", "--data-raw", "{\"a\":\"50%\"}", "h"],
            ),
            ("curl -d \"{\\\"a\\\":\\\"b\\\"}\" h", vec!["curl", "-d", "{\"a\":\"b\"}", "h"]),
            ("curl -d ^\"a^\r\n\r\nb^\" h", vec!["curl", "-d", "a\nb", "h"]),
            ("curl \"C:\\x\\\\\" h", vec!["curl", "C:\\x\\", "h"]),
        ] {
            assert_eq!(split(text), [expected], "{text}");
        }
        assert_eq!(split("curl a & curl b\r\ncurl c").len(), 3);
        assert_eq!(words("curl %HOST%/x"), Err(Unsupported::Shell("%".to_owned())));
        assert_eq!(words("curl \"a"), Err(Unsupported::OpenQuote));
    }
}
