//! Numbers as sentences show them, in both languages.

/// A whole number with a space between groups of three digits: `8192`, `12 000`.
pub fn count(value: f64) -> String {
    let digits = format!("{value:.0}");
    if digits.len() <= 4 {
        return digits;
    }
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            out.push(' ');
        }
        out.push(digit);
    }
    out
}

/// A number with three significant digits: `195`, `19.5`, `1.95`.
pub fn three(value: f64) -> String {
    match value {
        v if v >= 100.0 => count(v),
        v if v >= 10.0 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

/// A span of time, given in seconds, in the unit that suits it: `50.0 µs`, `15.3 ms`, `1.03 s`.
pub fn seconds(value: f64) -> String {
    match value {
        v if v < 1e-3 => format!("{} µs", three(v * 1e6)),
        v if v < 1.0 => format!("{} ms", three(v * 1e3)),
        v => format!("{} s", three(v)),
    }
}

/// Like [`seconds`], in nanoseconds below a microsecond, and without spaces between groups of digits.
pub fn fine_seconds(value: f64) -> String {
    let (unit, factor) = fine_unit(value);
    format!("{} {unit}", ungrouped(factor * value))
}

/// A difference in time, in seconds, with its sign, and the ends of its interval if it has one: `+20.1 µs [+18.9, +21.3]`.
pub fn signed_seconds(value: f64, ends: Option<(f64, f64)>) -> String {
    let (unit, factor) = fine_unit(value.abs());
    let signed = |value: f64| {
        let sign = if value < 0.0 { '-' } else { '+' };
        format!("{sign}{}", ungrouped((factor * value).abs()))
    };
    let ends = ends.map(|(low, high)| format!(" [{}, {}]", signed(low), signed(high)));
    format!("{} {unit}{}", signed(value), ends.unwrap_or_default())
}

/// The unit that suits a span of time, and how many of it a second has.
const fn fine_unit(seconds: f64) -> (&'static str, f64) {
    match seconds {
        v if v < 1e-6 => ("ns", 1e9),
        v if v < 1e-3 => ("µs", 1e6),
        v if v < 1.0 => ("ms", 1e3),
        _ => ("s", 1.0),
    }
}

/// A share from 0 to 1 as a percentage: `1.2 %`, `37 %`.
pub fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent < 9.95 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}

/// A number with at most one digit after the point: `3`, `4.5`. It is rounded first, so that 3.0000000000000004 is `3`.
pub fn tenths(value: f64) -> f64 {
    (10.0 * value).round() / 10.0
}

/// A share from 0 to 1 in whole per cent, without the sign: `37`.
pub fn percent_of(share: f64) -> String {
    format!("{:.0}", 100.0 * share)
}

/// A ratio as a signed difference in per cent, without the sign of per cent: `+3.1`, `-2.0`.
pub fn difference(ratio: f64) -> String {
    let percent = 100.0 * (ratio - 1.0);
    // A difference that rounds to nothing has no sign.
    let percent = if percent.abs() < 0.05 { 0.0 } else { percent };
    if percent >= 1000.0 {
        // A difference this large is not known precisely, and digits would suggest that it is.
        ">+999".to_owned()
    } else if percent.abs() >= 99.5 {
        format!("{percent:+.0}")
    } else {
        format!("{percent:+.1}")
    }
    .replace("+0.0", "0.0")
}

/// A time, given in seconds, in milliseconds: `1.5 ms`.
pub fn millis(seconds: f64) -> String {
    format!("{:.1} ms", 1e3 * seconds)
}

/// Events per second: `948 /s`, `21.0 k/s`.
pub fn rate(value: f64) -> String {
    rate_of(value, "")
}

/// Events per second, with what is counted: `948 requests/s`, `21.0 k sessions/s`.
pub fn rate_of(value: f64, counted: &str) -> String {
    let gap = if counted.is_empty() { "" } else { " " };
    if value >= 10_000.0 {
        format!("{} k{gap}{counted}/s", ungrouped(value / 1e3))
    } else {
        format!("{} {counted}/s", ungrouped(value))
    }
}

/// Like [`three`], without spaces between groups of digits.
fn ungrouped(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v => three(v),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_people_say_them() {
        let counts = [8.0, 8192.0, 12_000.0, 1_234_567.0].map(count);
        assert_eq!(counts, ["8", "8192", "12 000", "1 234 567"]);
        assert_eq!([1.026, 0.0153, 5e-5].map(seconds), ["1.03 s", "15.3 ms", "50.0 µs"]);
        assert_eq!([0.0123, 0.5, 1.0].map(percent), ["1.2 %", "50 %", "100 %"]);
        assert_eq!([947.7, 21_034.1].map(rate), ["948 /s", "21.0 k/s"]);
        assert_eq!(rate_of(21_034.1, "sessions"), "21.0 k sessions/s");
    }

    #[test]
    fn differences_are_signed_and_nothing_has_no_sign() {
        assert_eq!((difference(1.031), difference(0.98)), ("+3.1".into(), "-2.0".into()));
        assert_eq!((difference(1.0001), difference(0.9999)), ("0.0".into(), "0.0".into()));
        assert_eq!((difference(3.0), difference(1534.15)), ("+200".into(), ">+999".into()));
    }

    #[test]
    fn a_difference_in_time_has_signs_and_one_unit() {
        assert_eq!(signed_seconds(20.12e-6, Some((18.9e-6, 21.3e-6))), "+20.1 µs [+18.9, +21.3]");
        assert_eq!(signed_seconds(-950e-9, Some((-2e-6, 100e-9))), "-950 ns [-2000, +100]");
        assert_eq!(signed_seconds(-0.0021, None), "-2.10 ms");
    }
}
