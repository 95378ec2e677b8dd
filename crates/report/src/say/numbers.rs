//! Numbers as sentences show them, in both languages.

/// A whole number with a space between groups of three digits: `8192`, `12 000`.
pub(crate) fn count(value: f64) -> String {
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
pub(crate) fn three(value: f64) -> String {
    match value {
        v if v >= 100.0 => count(v),
        v if v >= 10.0 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

/// A span of time, given in seconds, in the unit that suits it: `50.0 µs`, `15.3 ms`, `1.03 s`.
pub(crate) fn seconds(value: f64) -> String {
    match value {
        v if v < 1e-3 => format!("{} µs", three(v * 1e6)),
        v if v < 1.0 => format!("{} ms", three(v * 1e3)),
        v => format!("{} s", three(v)),
    }
}

/// A share from 0 to 1 as a percentage: `1.2 %`, `37 %`.
pub(crate) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent < 9.95 {
        format!("{percent:.1} %")
    } else {
        format!("{percent:.0} %")
    }
}

/// A number with at most one digit after the point: `3`, `4.5`. It is rounded first, so that 3.0000000000000004 is `3`.
pub(crate) fn tenths(value: f64) -> f64 {
    (10.0 * value).round() / 10.0
}

/// A share from 0 to 1 in whole per cent, without the sign: `37`.
pub(crate) fn percent_of(share: f64) -> String {
    format!("{:.0}", 100.0 * share)
}

/// A time, given in seconds, in milliseconds: `1.5 ms`.
pub(crate) fn millis(seconds: f64) -> String {
    format!("{:.1} ms", 1e3 * seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_as_people_say_them() {
        let counts = [8.0, 8192.0, 12_000.0, 1_234_567.0].map(count);
        assert_eq!(counts, ["8", "8192", "12 000", "1 234 567"]);
        assert_eq!(
            [1.026, 0.0153, 5e-5].map(seconds),
            ["1.03 s", "15.3 ms", "50.0 µs"]
        );
        assert_eq!([0.0123, 0.5, 1.0].map(percent), ["1.2 %", "50 %", "100 %"]);
    }
}
