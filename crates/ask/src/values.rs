//! Parsers of quantities as people write them: `1m30s`, `10k`, `256M`, `1000/m`, `2%`. Files and flags use the same parsers.

use model::units::{BitRate, Bytes, Nanos, Rate};
use say::{Say, Writer};
use traffic::pace::{Stage, Think};
use traffic::streaming::ReadUntil;

/// A kind of quantity, each with a notation of its own; the words are its name, with an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub enum Notation {
    /// A span of time.
    #[say(en = "a duration as `10s`", zh = "时长，如 `10s`")]
    Duration,
    /// A number of things.
    #[say(en = "a count as `10k`", zh = "个数，如 `10k`")]
    Count,
    /// A number of bytes.
    #[say(en = "a size as `256M`", zh = "大小，如 `256M`")]
    Size,
    /// Events per second.
    #[say(en = "a rate as `1000` or `50/1s`, per second", zh = "每秒的速率，如 `1000` 或 `50/1s`")]
    Rate,
    /// Bits per second of a link.
    #[say(en = "a rate of a link as `45Mbit`", zh = "链路速率，如 `45Mbit`")]
    BitRate,
    /// A user's pause between two requests.
    #[say(en = "a pause as `100ms` or `50ms-150ms`", zh = "停顿时间，如 `100ms` 或 `50ms-150ms`")]
    Pause,
    /// The course of a rate.
    #[say(en = "a course of a rate as `10s:0-1000,1m:1000`", zh = "速率过程，如 `10s:0-1000,1m:1000`")]
    Course,
    /// A share of a whole.
    #[say(en = "a share as `2%`", zh = "比例，如 `2%`")]
    Share,
    /// How much of an answer is read that comes as a row of events.
    #[say(en = "a number of events as `10`, or a time as `5s`", zh = "事件数，如 `10`，或时间，如 `5s`")]
    ReadUntil,
    /// The error rate of a test.
    #[say(en = "an error rate as `1%`", zh = "错误率，如 `1%`")]
    ErrorRate,
}

/// That a text is not this quantity, and how to write one: what follows the text.
struct Correction(Notation);

impl Say for Correction {
    fn say(&self, out: &mut Writer) {
        let (english, chinese) = match self.0 {
            Notation::Duration => (
                "is not a duration; write for example `10s`, `500ms` or `1m30s`",
                "不是时长；例如可写 `10s`、`500ms` 或 `1m30s`",
            ),
            Notation::Count => (
                "is not a count; write for example `1000`, `10k` or `1M`",
                "不是个数；例如可写 `1000`、`10k` 或 `1M`",
            ),
            Notation::Size => (
                "is not a size; write for example `256M` (1024-based) or `1G`",
                "不是大小；例如可写 `256M`（按 1024 进位）或 `1G`",
            ),
            Notation::Rate => (
                "is not a rate; write for example `1000` (per second in total) or `600/m`",
                "不是速率；例如可写 `1000`（每秒总数）或 `600/m`",
            ),
            Notation::BitRate => (
                "is not a rate of a link; write for example `45Mbit` or `1Gbit`",
                "不是链路速率；例如可写 `45Mbit` 或 `1Gbit`",
            ),
            Notation::Pause => (
                "is not a pause; write `100ms`, `50ms-150ms`, `gaussian:100ms,20ms` or `exponential:100ms`",
                "不是停顿时间；可写 `100ms`、`50ms-150ms`、`gaussian:100ms,20ms` 或 `exponential:100ms`",
            ),
            Notation::Course => (
                "is no course of a rate; write for example `10s:0-1000,1m:1000` (time:rate or time:from-to)",
                "不是速率过程；例如可写 `10s:0-1000,1m:1000`（时间:速率，或 时间:起始速率-结束速率）",
            ),
            Notation::ReadUntil => (
                "is neither a number of events nor a time; write for example `10` or `5s`",
                "既不是事件数，也不是时间；例如可写 `10` 或 `5s`",
            ),
            Notation::Share | Notation::ErrorRate => (
                "is not a share between 0 and 100 %; write for example `2%` or `0.02`",
                "不是 0 到 100 % 之间的比例；例如可写 `2%` 或 `0.02`",
            ),
        };
        out.words(out.language().choose(english, chinese));
    }
}

/// A text that is not the quantity that it should be.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
#[say(error)]
pub enum BadQuantity {
    /// It is written in another form.
    #[say(
        en = "`{text}` {correction}",
        zh = "`{text}` {correction}",
        correction = Correction(*quantity)
    )]
    Form {
        /// What it should be.
        quantity: Notation,
        text: String,
    },
    /// A duration of more than a year, or less than nothing.
    #[say(en = "the duration `{0}` must be between 0 and 365 days", zh = "时长 `{0}` 必须在 0 到 365 天之间")]
    Duration(String),
    /// An error rate for which the sequential test has no table.
    #[say(
        en = "there is no table for an error rate of {0}; use 1%, 5% or 10%",
        zh = "没有错误率 {0} 的统计表；请用 1%、5% 或 10%"
    )]
    ErrorRate(String),
}

/// Returns what makes the error for a text that is not written as this quantity.
fn not_a(quantity: Notation, text: &str) -> impl Fn() -> BadQuantity + Copy {
    move || BadQuantity::Form { quantity, text: text.to_owned() }
}

/// Parses a duration: `10s`, `1m30s`, `500ms`, `1h`; a bare number is seconds. Units: ms, s, m, h, d.
pub fn duration(text: &str) -> Result<Nanos, BadQuantity> {
    let wrong = not_a(Notation::Duration, text);
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(wrong());
    }
    if let Ok(seconds) = rest.parse::<f64>() {
        return seconds_within_range(seconds, text);
    }
    let mut total = 0.0;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(wrong)?;
        let value: f64 = rest[..digits].parse().map_err(|_| wrong())?;
        rest = &rest[digits..];
        let letters = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        total += value
            * match &rest[..letters] {
                "us" => 1e-6,
                "ms" => 1e-3,
                "s" => 1.0,
                "m" => 60.0,
                "h" => 3600.0,
                "d" => 86400.0,
                _ => return Err(wrong()),
            };
        rest = &rest[letters..];
    }
    seconds_within_range(total, text)
}

fn seconds_within_range(seconds: f64, text: &str) -> Result<Nanos, BadQuantity> {
    if seconds.is_finite() && (0.0..=31_536_000.0).contains(&seconds) {
        Ok(Nanos::from_secs_f64(seconds))
    } else {
        Err(BadQuantity::Duration(text.to_owned()))
    }
}

/// Parses a count: `1000`, `1k`, `1M` (SI).
pub fn count(text: &str) -> Result<u64, BadQuantity> {
    let wrong = not_a(Notation::Count, text);
    let (number, factor) = match text.trim().char_indices().last() {
        Some((at, 'k' | 'K')) => (&text.trim()[..at], 1e3),
        Some((at, 'M')) => (&text.trim()[..at], 1e6),
        Some((at, 'G')) => (&text.trim()[..at], 1e9),
        _ => (text.trim(), 1.0),
    };
    let value = number.parse::<f64>().map_err(|_| wrong())? * factor;
    if value >= 0.0 && value.fract() == 0.0 && value < 1e15 { Ok(value as u64) } else { Err(wrong()) }
}

/// Parses a size, 1024-based as Java's heap flags: `256M`, `1G`, `1024K`; a bare number is bytes.
pub fn size(text: &str) -> Result<Bytes, BadQuantity> {
    let wrong = not_a(Notation::Size, text);
    let trimmed = text.trim().trim_end_matches("iB").trim_end_matches('B').trim_end();
    let (number, factor) = match trimmed.char_indices().last() {
        Some((at, 'k' | 'K')) => (&trimmed[..at], 1u64 << 10),
        Some((at, 'm' | 'M')) => (&trimmed[..at], 1 << 20),
        Some((at, 'g' | 'G')) => (&trimmed[..at], 1 << 30),
        _ => (trimmed, 1),
    };
    let value: f64 = number.trim_end().parse().map_err(|_| wrong())?;
    let bytes = value * factor as f64;
    if (0.0..1e15).contains(&bytes) { Ok(Bytes(bytes as u64)) } else { Err(wrong()) }
}

/// Parses a rate, always the total: `1000` or `1000/s` (per second), `600/m`, `50/2s`.
pub fn rate(text: &str) -> Result<Rate, BadQuantity> {
    let wrong = not_a(Notation::Rate, text);
    let (number, per) = match text.split_once('/') {
        None => (text, 1.0),
        Some((number, "s")) => (number, 1.0),
        Some((number, "m")) => (number, 60.0),
        Some((number, "h")) => (number, 3600.0),
        Some((number, span)) => (number, duration(span).map_err(|_| wrong())?.as_secs_f64()),
    };
    let events = match number.trim().parse::<f64>() {
        Ok(value) => value,
        Err(_) => count(number).map_err(|_| wrong())? as f64,
    };
    let rate = events / per;
    if rate.is_finite() && rate > 0.0 { Ok(Rate(rate)) } else { Err(wrong()) }
}

/// Parses the rate of a link, bits per second and 1000-based: `45Mbit`, `1Gbit`, `64kbit`.
pub fn bit_rate(text: &str) -> Result<BitRate, BadQuantity> {
    let wrong = not_a(Notation::BitRate, text);
    let number = text.trim().trim_end_matches("/s").strip_suffix("bit").ok_or_else(wrong)?;
    let (number, factor) = match number.char_indices().last() {
        Some((at, 'k' | 'K')) => (&number[..at], 1e3),
        Some((at, 'M')) => (&number[..at], 1e6),
        Some((at, 'G')) => (&number[..at], 1e9),
        _ => (number, 1.0),
    };
    let bits = number.trim_end().parse::<f64>().map_err(|_| wrong())? * factor;
    if bits > 0.0 && bits < 1e15 { Ok(BitRate(bits.round() as u64)) } else { Err(wrong()) }
}

/// Parses a pause: `100ms` (constant), `50ms-150ms` (uniform), `gaussian:100ms,20ms` (mean and standard deviation; what would
/// be negative is zero) or `exponential:100ms` (mean).
pub fn think(text: &str) -> Result<Think, BadQuantity> {
    let wrong = not_a(Notation::Pause, text);
    let time = |text: &str| duration(text).map_err(|_| wrong());
    if let Some(of) = text.strip_prefix("gaussian:") {
        let (mean, deviation) = of.split_once(',').ok_or_else(wrong)?;
        return Ok(Think::Gaussian { mean: time(mean)?, deviation: time(deviation)? });
    }
    if let Some(mean) = text.strip_prefix("exponential:") {
        return Ok(Think::Exponential(time(mean)?));
    }
    match text.split_once('-') {
        None => Ok(Think::Constant(time(text)?)),
        Some((low, high)) => {
            let (low, high) = (time(low)?, time(high)?);
            (low <= high).then_some(Think::Uniform(low, high)).ok_or_else(wrong)
        }
    }
}

/// Parses the course of a rate, `10s:0-1000,1m:1000,30s:500`: parts in sequence, each with its length and its rate, or the
/// rates at its begin and end, between which the rate changes evenly.
pub fn stages(text: &str) -> Result<Vec<Stage>, BadQuantity> {
    let wrong = not_a(Notation::Course, text);
    let level = |text: &str| match text.trim().parse::<f64>() {
        Ok(0.0) => Ok(Rate(0.0)),
        _ => rate(text).map_err(|_| wrong()),
    };
    let stage = |part: &str| {
        let (length, rates) = part.split_once(':').ok_or_else(wrong)?;
        let (from, to) = rates.split_once('-').unwrap_or((rates, rates));
        let length = duration(length).map_err(|_| wrong())?;
        if length == Nanos(0) {
            return Err(wrong());
        }
        Ok(Stage { from: level(from)?, to: level(to)?, length })
    };
    text.split(',').map(stage).collect()
}

/// Parses how much of an answer is read that comes as a row of events: `10` is a number of them, and what has a unit is a time.
pub fn read_until(text: &str) -> Result<ReadUntil, BadQuantity> {
    let read = match count(text) {
        Ok(events) => ReadUntil::Events(events),
        Err(_) => ReadUntil::Time(duration(text).map_err(|_| not_a(Notation::ReadUntil, text)())?),
    };
    match read {
        ReadUntil::Events(0) | ReadUntil::Time(Nanos(0)) => Err(not_a(Notation::ReadUntil, text)()),
        read => Ok(read),
    }
}

/// Parses a share: `2%` or `0.02`, within 0 to 100 %, ends excluded.
pub fn share(text: &str) -> Result<f64, BadQuantity> {
    let wrong = not_a(Notation::Share, text);
    let value = match text.trim().strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().map_err(|_| wrong())? / 100.0,
        None => text.trim().parse::<f64>().map_err(|_| wrong())?,
    };
    if value > 0.0 && value < 1.0 { Ok(value) } else { Err(wrong()) }
}

/// Parses an error rate for which there are tables: 1 %, 5 % or 10 %.
pub fn alpha(text: &str) -> Result<f64, BadQuantity> {
    let alpha = share(text)?;
    if [0.01, 0.05, 0.10].contains(&alpha) {
        return Ok(alpha);
    }
    Err(BadQuantity::ErrorRate(alpha.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_people_write_them() {
        for (text, seconds) in
            [("10", 10.0), ("1.5", 1.5), ("10s", 10.0), ("500ms", 0.5), ("1m30s", 90.0), ("1d4h", 100_800.0)]
        {
            assert_eq!(duration(text).map(Nanos::as_secs_f64), Ok(seconds), "{text}");
        }
        for text in ["", "s", "10x", "1m30", "-1", "nan", "1e99"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn pauses_have_four_distributions() {
        let ms = Nanos::from_millis;
        assert_eq!(think("100ms"), Ok(Think::Constant(ms(100))));
        assert_eq!(think("50ms-150ms"), Ok(Think::Uniform(ms(50), ms(150))));
        assert_eq!(think("gaussian:100ms,20ms"), Ok(Think::Gaussian { mean: ms(100), deviation: ms(20) }));
        assert_eq!(think("exponential:1"), Ok(Think::Exponential(ms(1000))));
        for text in ["", "x", "2s-1s", "gaussian:1s", "poisson:1s"] {
            assert!(think(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_rate_has_a_course() {
        let stage =
            |from, to, seconds| Stage { from: Rate(from), to: Rate(to), length: Nanos::from_secs(seconds) };
        let course = vec![stage(0.0, 1000.0, 10), stage(1000.0, 1000.0, 60), stage(10.0, 10.0, 1)];
        assert_eq!(stages("10s:0-1k,1m:1000,1:600/m"), Ok(course));
        for text in ["", "10s", "10s:", "0s:5", "10s:-5", "1s:1,"] {
            assert!(stages(text).is_err(), "{text}");
        }
    }

    #[test]
    fn counts_are_si_and_sizes_are_binary() {
        assert_eq!(count("10k"), Ok(10_000));
        assert_eq!(count("1.5M"), Ok(1_500_000));
        assert!(count("1.5").is_err() && count("-3").is_err());
        assert_eq!(size("256M"), Ok(Bytes(256 << 20)));
        assert_eq!(size("1GiB"), Ok(Bytes(1 << 30)));
        assert!(size("many").is_err());
    }

    #[test]
    fn links_count_in_bits() {
        assert_eq!(bit_rate("45Mbit"), Ok(BitRate(45_000_000)));
        assert_eq!(bit_rate("1.5 Gbit/s"), Ok(BitRate(1_500_000_000)));
        assert_eq!(bit_rate("64kbit").map(|rate| rate.to_string()), Ok("64 kbit/s".to_owned()));
        assert_eq!(BitRate(1_500_000_000).to_string(), "1.5 Gbit/s");
        for text in ["", "45", "45MB", "-1Mbit", "Mbit", "0bit", "nanbit"] {
            assert!(bit_rate(text).is_err(), "{text}");
        }
    }

    #[test]
    fn rates_are_totals_per_second_and_shares_exclude_their_ends() {
        assert_eq!(rate("600/m"), Ok(Rate(10.0)));
        assert_eq!(rate("50/2s"), Ok(Rate(25.0)));
        assert_eq!(rate("1k"), Ok(Rate(1000.0)));
        assert!(rate("0").is_err());
        assert_eq!(share("2%"), Ok(0.02));
        assert!(share("0").is_err() && share("100%").is_err());
    }
}
