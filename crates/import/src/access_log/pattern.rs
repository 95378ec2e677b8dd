//! [`Pattern`]: how a line of a log is made, as `AccessLogValve` of Tomcat and `LogFormat` of Apache write it.

use crate::remark::Unsupported;

/// What a part of a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Client,
    /// A time in brackets.
    Time,
    /// Since 1970.
    Seconds,
    Milliseconds,
    Status,
    Method,
    Path,
    /// With its question mark.
    Query,
    /// Method, path and version.
    Request,
    Other,
}

/// A part of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Field(Field),
}

/// How a line is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern(Vec<Piece>);

impl Pattern {
    /// Reads a pattern, or the name of one.
    ///
    /// # Errors
    ///
    /// If no request can be told by it.
    pub(super) fn parse(written: &str) -> Result<Self, Unsupported> {
        const COMMON: &str = "%h %l %u %t \"%r\" %s %b";
        let text = match written {
            "common" => COMMON.to_owned(),
            "combined" => format!("{COMMON} \"%{{Referer}}i\" \"%{{User-Agent}}i\""),
            text => text.to_owned(),
        };
        let mut pieces = Vec::new();
        let mut literal = String::new();
        let mut rest = text.as_str();
        while let Some((before, behind)) = rest.split_once('%') {
            literal.push_str(before);
            let behind = behind.trim_start_matches(['>', '<']);
            let (argument, behind) = match behind.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
                Some((argument, behind)) => (argument, behind),
                None => ("", behind),
            };
            let Some(letter) = behind.chars().next() else {
                return Err(Unsupported::Pattern(written.to_owned()));
            };
            rest = &behind[letter.len_utf8()..];
            if !literal.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut literal)));
            }
            pieces.push(Piece::Field(field(letter, argument)));
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            pieces.push(Piece::Text(literal));
        }
        let has = |field| pieces.contains(&Piece::Field(field));
        match has(Field::Request) || has(Field::Path) {
            true => Ok(Self(pieces)),
            false => Err(Unsupported::Pattern(written.to_owned())),
        }
    }

    /// Splits a line into its fields; `None` if it is not made by the pattern. A field ends where the text behind it begins.
    pub(super) fn read(&self, line: &str) -> Option<Vec<(Field, String)>> {
        let mut fields = Vec::new();
        let mut rest = line;
        for (index, piece) in self.0.iter().enumerate() {
            match piece {
                Piece::Text(text) => rest = rest.strip_prefix(text.as_str())?,
                Piece::Field(field) => {
                    let end = match self.0.get(index + 1) {
                        // The time has a blank in it.
                        _ if *field == Field::Time && rest.starts_with('[') => rest.find(']')? + 1,
                        Some(Piece::Text(text)) => rest.find(text.as_str())?,
                        // The query begins with its mark.
                        Some(Piece::Field(Field::Query)) => rest.find(['?', ' ']).unwrap_or(rest.len()),
                        Some(Piece::Field(_)) => rest.find(' ').unwrap_or(rest.len()),
                        None => rest.len(),
                    };
                    let (text, behind) = rest.split_at(end);
                    fields.push((*field, text.to_owned()));
                    rest = behind;
                }
            }
        }
        Some(fields)
    }
}

fn field(letter: char, argument: &str) -> Field {
    match (letter, argument) {
        ('h' | 'a', "") => Field::Client,
        ('t', "") => Field::Time,
        ('t', "sec" | "begin:sec" | "end:sec") => Field::Seconds,
        ('t', "msec" | "begin:msec" | "end:msec") => Field::Milliseconds,
        ('s', _) => Field::Status,
        ('m', _) => Field::Method,
        ('U', _) => Field::Path,
        ('q', _) => Field::Query,
        ('r', _) => Field::Request,
        _ => Field::Other,
    }
}
