//! Dates: how a time is written by a pattern, and when a cookie expires.

use super::TimePart;
use std::io::Write as _;

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const FULL_MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const FULL_WEEK_DAYS: [&str; 7] =
    ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];
/// The days of the week from the first day of 1970 on.
const WEEK_DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];

/// Writes a time, given as milliseconds since 1970, as it is `offset` seconds east of UTC. No parts are the milliseconds.
pub fn write_time(parts: &[TimePart], millis: i64, offset: i32, out: &mut Vec<u8>) {
    if parts.is_empty() {
        return push_number(out, millis, 1);
    }
    let local = millis + i64::from(offset) * 1000;
    let (days, of_day) = (local.div_euclid(86_400_000), local.rem_euclid(86_400_000));
    let date = Date::of_day(days);
    let hour = of_day / 3_600_000;
    for part in parts {
        match *part {
            TimePart::Literal(ref text) => out.extend_from_slice(text.as_bytes()),
            TimePart::EpochMillis => push_number(out, millis, 1),
            TimePart::EpochSeconds => push_number(out, millis.div_euclid(1000), 1),
            TimePart::Year => push_number(out, date.year, 4),
            TimePart::ShortYear => push_number(out, date.year % 100, 2),
            TimePart::Month(digits) => push_number(out, date.month, digits),
            TimePart::MonthName => out.extend_from_slice(MONTHS[date.month as usize - 1].as_bytes()),
            TimePart::FullMonthName => out.extend_from_slice(FULL_MONTHS[date.month as usize - 1].as_bytes()),
            TimePart::Day(digits) => push_number(out, date.day, digits),
            TimePart::WeekDay => out.extend_from_slice(WEEK_DAYS[days.rem_euclid(7) as usize].as_bytes()),
            TimePart::FullWeekDay => {
                out.extend_from_slice(FULL_WEEK_DAYS[days.rem_euclid(7) as usize].as_bytes());
            }
            TimePart::Hour(digits) => push_number(out, hour, digits),
            TimePart::Hour12(digits) => push_number(out, (hour + 11) % 12 + 1, digits),
            TimePart::Half => out.extend_from_slice(if hour < 12 { b"AM" } else { b"PM" }),
            TimePart::Minute(digits) => push_number(out, of_day / 60_000 % 60, digits),
            TimePart::Second(digits) => push_number(out, of_day / 1000 % 60, digits),
            TimePart::Millis(digits) => push_number(out, of_day % 1000, digits),
            TimePart::Offset { z_for_utc: true, .. } | TimePart::OffsetHours if offset == 0 => out.push(b'Z'),
            TimePart::OffsetHours => {
                out.push(if offset < 0 { b'-' } else { b'+' });
                push_number(out, i64::from(offset.abs()) / 3600, 2);
            }
            TimePart::Offset { colon, .. } => {
                out.push(if offset < 0 { b'-' } else { b'+' });
                push_number(out, i64::from(offset.abs()) / 3600, 2);
                out.extend_from_slice(if colon { b":" } else { b"" });
                push_number(out, i64::from(offset.abs()) / 60 % 60, 2);
            }
        }
    }
}

/// Reads a date that is written by a pattern, with a time or without: milliseconds since 1970, if it is a date of UTC. `None` for a text that
/// does not fit, and for a pattern that does not tell year, month and day by their numbers.
pub fn read_time(parts: &[TimePart], text: &str) -> Option<i64> {
    let mut rest = text;
    let (mut date, mut of_day) = ([None; 3], 0);
    for part in parts {
        let mut number = |digits: usize| {
            let length = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            // One letter takes one digit or two, and several take so many.
            let length = if digits > 1 { digits } else { length.min(2) };
            let found = rest.get(..length)?.parse::<i64>().ok()?;
            rest = &rest[length..];
            Some(found)
        };
        match part {
            TimePart::Literal(literal) => rest = rest.strip_prefix(literal.as_str())?,
            TimePart::Year => date[0] = Some(number(4)?),
            TimePart::Month(digits) => date[1] = Some(number(usize::from(*digits))?),
            TimePart::Day(digits) => date[2] = Some(number(usize::from(*digits))?),
            TimePart::Hour(digits) => of_day += number(usize::from(*digits))? * 3_600_000,
            TimePart::Minute(digits) => of_day += number(usize::from(*digits))? * 60_000,
            TimePart::Second(digits) => of_day += number(usize::from(*digits))? * 1000,
            TimePart::Millis(3) => of_day += number(3)?,
            _ => return None,
        }
    }
    let [Some(year), Some(month), Some(day)] = date else {
        return None;
    };
    let days = Date { year, month, day }.day_number();
    let is_date = Date::of_day(days) == Date { year, month, day };
    (is_date && rest.is_empty() && of_day < 86_400_000).then(|| days * 86_400_000 + of_day)
}

/// Writes a number with at least so many digits.
pub fn push_number(out: &mut Vec<u8>, number: i64, digits: u8) {
    let written = write!(out, "{number:0width$}", width = usize::from(digits));
    written.expect("memory can be written to");
}

/// A day of the Gregorian calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Date {
    year: i64,
    /// From 1.
    month: i64,
    /// From 1.
    day: i64,
}

impl Date {
    /// The day of this number from 1970 on (Hinnant, chrono-compatible low-level date algorithms, `civil_from_days`).
    fn of_day(days: i64) -> Self {
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let of_era = shifted.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * of_year + 2) / 153;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
        Self {
            year: year_of_era + era * 400 + i64::from(month <= 2),
            month,
            day: of_year - (153 * shifted_month + 2) / 5 + 1,
        }
    }

    /// The number of the day from 1970 on (`days_from_civil` of the same source).
    fn day_number(self) -> i64 {
        let year = self.year - i64::from(self.month <= 2);
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let shifted_month = if self.month > 2 { self.month - 3 } else { self.month + 9 };
        let of_year = (153 * shifted_month + 2) / 5 + self.day - 1;
        era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year - 719_468
    }
}

/// The seconds since 1970 of a date as cookies have it: `Wed, 21 Oct 2015 07:28:00 GMT`, also with dashes and a short year.
/// `None` for other texts.
pub fn cookie_date(text: &str) -> Option<i64> {
    let mut words = text.split([' ', '-', ',']).filter(|word| !word.is_empty()).skip(1);
    let day = words.next()?.parse().ok()?;
    let month = words.next()?;
    let month = MONTHS.iter().position(|name| month.eq_ignore_ascii_case(name))? as i64 + 1;
    let year: i64 = words.next()?.parse().ok()?;
    let year = match year {
        0..70 => year + 2000,
        70..100 => year + 1900,
        _ => year,
    };
    let mut clock = words.next()?.split(':').map(|number| number.parse::<i64>().ok());
    let (hour, minute, second) = (clock.next()??, clock.next()??, clock.next()??);
    let days = Date { year, month, day }.day_number();
    Some(days * 86_400 + hour * 3600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_by_patterns() {
        let written = |pattern: &str, millis, offset| {
            let mut out = Vec::new();
            write_time(&TimePart::parse(pattern).unwrap(), millis, offset, &mut out);
            String::from_utf8(out).unwrap()
        };
        let moment = 1_445_412_480_123; // 2015-10-21T07:28:00.123Z
        assert_eq!(written("", moment, 0), "1445412480123");
        assert_eq!(written("/1000", moment, 0), "1445412480");
        assert_eq!(written("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", moment, 0), "2015-10-21T07:28:00.123Z");
        assert_eq!(written("EEE, d MMM yy h:mm a Z", moment, 3600), "Wed, 21 Oct 15 8:28 AM +0100");
        assert_eq!(written("dd.MM.yyyy HH", -1, 0), "31.12.1969 23");
        assert_eq!(written("yyyyMMdd", 1_709_208_000_000, 0), "20240229");
    }

    #[test]
    fn dates_are_read_by_patterns() {
        let read = |pattern: &str, text: &str| read_time(&TimePart::parse(pattern).unwrap(), text);
        assert_eq!(read("yyyy-MM-dd'T'HH:mm:ss.SSS", "2015-10-21T07:28:00.123"), Some(1_445_412_480_123));
        assert_eq!(read("d.M.yyyy", "21.10.2015"), Some(1_445_385_600_000));
        assert_eq!(read("yyyyMMdd", "20150230"), None);
        assert_eq!(read("yyyy-MM-dd", "2015-10-21 "), None);
        assert_eq!(read("MM/yyyy", "10/2015"), None);
    }

    #[test]
    fn dates_of_cookies_are_read() {
        assert_eq!(cookie_date("Wed, 21 Oct 2015 07:28:00 GMT"), Some(1_445_412_480));
        assert_eq!(cookie_date("Wednesday, 21-Oct-15 07:28:00 GMT"), Some(1_445_412_480));
        assert_eq!(cookie_date("Thu, 01 Jan 1970 00:00:10 GMT"), Some(10));
        assert_eq!(cookie_date("soon"), None);
    }
}
