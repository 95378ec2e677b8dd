//! [`TimePart`]: a part of how a time is written.

use serde::{Deserialize, Serialize};

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
    /// The English name of the month.
    FullMonthName,
    /// The day of the month, with at least so many digits.
    Day(u8),
    /// The first three letters of the English name of the day of the week.
    WeekDay,
    /// The English name of the day of the week.
    FullWeekDay,
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
    /// The hours of the offset from UTC, such as `+01`; `Z` for UTC.
    OffsetHours,
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
            ('M' | 'L', 3) => Self::MonthName,
            ('M' | 'L', 4) => Self::FullMonthName,
            ('M' | 'L', 5..) => return None,
            ('M' | 'L', digits) => Self::Month(digits),
            ('d', digits) => Self::Day(digits),
            ('E', 1..=3) => Self::WeekDay,
            ('E', 4) => Self::FullWeekDay,
            ('H', digits) => Self::Hour(digits),
            ('h', digits) => Self::Hour12(digits),
            ('a', _) => Self::Half,
            ('m', digits) => Self::Minute(digits),
            ('s', digits) => Self::Second(digits),
            ('S', digits) => Self::Millis(digits),
            ('X', 1) => Self::OffsetHours,
            ('Z', 1..=3) => Self::Offset { colon: false, z_for_utc: false },
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
