//! [`Function`]: what gives a new text each time a template is rendered. Random numbers come from the seed of the run.

use super::{Condition, Snippet, Template};
use serde::{Deserialize, Serialize};

/// Gives a text when it is rendered. Arguments are rendered first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Function {
    /// A random integer from `least` to `most`, both included.
    RandomInteger {
        least: Template,
        most: Template,
        /// The least number of digits; shorter numbers begin with zeros.
        digits: u8,
    },
    /// Random characters.
    RandomText {
        length: Template,
        /// From which they are drawn; empty takes ASCII letters and digits.
        letters: Template,
    },
    /// One of these, drawn.
    Pick(Vec<Template>),
    /// A random UUID (version 4).
    Uuid,
    /// The present time.
    Now {
        /// How it is written; empty is milliseconds since 1970.
        format: Vec<TimePart>,
        /// Milliseconds that are added to it.
        shift: Template,
    },
    /// The next number of a counter, an index into [`super::Program::counters`].
    Next {
        /// The index of the counter.
        counter: usize,
        /// The least number of digits; shorter numbers begin with zeros.
        digits: u8,
    },
    /// The number of the user within its group, from 1, unique over all load machines.
    UserNumber,
    /// The number of the user's present iteration, from 1.
    Iteration,
    /// The number of the present iteration among the iterations of all users, from 0, unique over all load machines.
    Session,
    /// The name of the user's group.
    GroupName,
    /// `true` or `false`: whether the last request got a right answer.
    LastOk,
    /// The status of the last answer, three digits; empty where there was none.
    LastStatus,
    /// Percent-encoded for a path or a query: all but letters, digits and `-._~` (RFC 3986).
    Percent(Template),
    /// Encoded for a form: as [`Function::Percent`], with `+` for spaces, and `*` as it is.
    Form(Template),
    /// What was percent-encoded, decoded.
    Decode(Template),
    /// Base64 with padding.
    Base64(Template),
    /// Base64, decoded; nothing where it is wrong.
    Base64Decode(Template),
    /// Upper case.
    Upper(Template),
    /// Lower case.
    Lower(Template),
    /// With `\`, `"`, control characters and line breaks escaped as in a JSON string.
    JsonText(Template),
    /// The sum of integers; what is no integer counts as 0.
    Sum(Vec<Template>),
    /// The value, which is put into a variable, too.
    Keep {
        value: Template,
        /// The slot of the variable.
        into: usize,
    },
    /// The value of a script, as text; nothing if the script fails.
    Script(Box<Snippet>),
    /// One of two texts.
    When {
        condition: Box<Condition>,
        /// The text if it holds.
        then: Template,
        /// The text otherwise.
        otherwise: Template,
    },
}

// Conditions compare texts only, so that equality is total.
impl Eq for Function {}

/// A part of a time, in the time zone of the machine that made the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TimePart {
    /// Fixed text.
    Literal(String),
    /// Milliseconds since 1970.
    EpochMillis,
    /// Seconds since 1970.
    EpochSeconds,
    /// The year with four digits.
    Year,
    /// The last two digits of the year.
    ShortYear,
    /// The month from 1, with at least so many digits.
    Month(u8),
    /// The first three letters of the English name of the month.
    MonthName,
    /// The day of the month, with at least so many digits.
    Day(u8),
    /// The first three letters of the English name of the day of the week.
    WeekDay,
    /// The hour from 0 to 23, with at least so many digits.
    Hour(u8),
    /// The hour from 1 to 12, with at least so many digits.
    Hour12(u8),
    /// `AM` or `PM`.
    Half,
    /// The minute, with at least so many digits.
    Minute(u8),
    /// The second, with at least so many digits.
    Second(u8),
    /// The milliseconds of the second, with at least so many digits.
    Millis(u8),
    /// The offset from UTC as `+0100`; `Z` for UTC if `z_for_utc`, with a colon if `colon`.
    Offset {
        /// Whether it is `+01:00`.
        colon: bool,
        /// Whether UTC is `Z`.
        z_for_utc: bool,
    },
}

impl TimePart {
    /// Parses a pattern of Java's `SimpleDateFormat`, as JMeter uses it: `yyyy-MM-dd'T'HH:mm:ss.SSS`. A single `/1000` is
    /// seconds since 1970, as in JMeter's `__time`.
    ///
    /// # Errors
    ///
    /// The letter that is no part of such a pattern, or is none that is supported.
    pub fn parse(pattern: &str) -> Result<Vec<Self>, char> {
        match pattern {
            "" => return Ok(Vec::new()),
            "/1000" => return Ok(vec![Self::EpochSeconds]),
            _ => {}
        }
        let mut parts = Vec::new();
        let mut rest = pattern.chars().peekable();
        while let Some(letter) = rest.next() {
            if letter == '\'' {
                let quoted: String = rest.by_ref().take_while(|&next| next != '\'').collect();
                parts.push(Self::Literal(if quoted.is_empty() { "'".to_owned() } else { quoted }));
                continue;
            }
            if !letter.is_ascii_alphabetic() {
                parts.push(Self::Literal(letter.to_string()));
                continue;
            }
            let mut count = 1;
            while rest.next_if_eq(&letter).is_some() {
                count += 1;
            }
            parts.push(Self::of_letter(letter, count).ok_or(letter)?);
        }
        Ok(parts)
    }

    fn of_letter(letter: char, count: u8) -> Option<Self> {
        Some(match (letter, count) {
            ('y' | 'u', 2) => Self::ShortYear,
            ('y' | 'u', _) => Self::Year,
            ('M' | 'L', 3..) => Self::MonthName,
            ('M' | 'L', digits) => Self::Month(digits),
            ('d', digits) => Self::Day(digits),
            ('E', _) => Self::WeekDay,
            ('H', digits) => Self::Hour(digits),
            ('h', digits) => Self::Hour12(digits),
            ('a', _) => Self::Half,
            ('m', digits) => Self::Minute(digits),
            ('s', digits) => Self::Second(digits),
            ('S', digits) => Self::Millis(digits),
            ('Z', _) => Self::Offset { colon: false, z_for_utc: false },
            ('X', count) => Self::Offset { colon: count > 2, z_for_utc: true },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_java_are_parsed() {
        assert_eq!(TimePart::parse(""), Ok(Vec::new()));
        assert_eq!(TimePart::parse("/1000"), Ok(vec![TimePart::EpochSeconds]));
        let text = |text: &str| TimePart::Literal(text.to_owned());
        assert_eq!(
            TimePart::parse("yyyy-MM-dd'T'HH:mm"),
            Ok(vec![
                TimePart::Year,
                text("-"),
                TimePart::Month(2),
                text("-"),
                TimePart::Day(2),
                text("T"),
                TimePart::Hour(2),
                text(":"),
                TimePart::Minute(2),
            ])
        );
        assert_eq!(TimePart::parse("QQ"), Err('Q'));
    }
}
