//! Numbers as the sentences of diagnoses have them.

/// A whole number: `12 000`.
pub(super) fn count(value: f64) -> String {
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

/// Three digits: `195`, `19.5`, `1.95`.
pub(super) fn three(value: f64) -> String {
    match value {
        v if v >= 100.0 => count(v),
        v if v >= 10.0 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

/// A span of time.
pub(super) fn seconds(value: f64) -> String {
    match value {
        v if v < 1e-3 => format!("{} µs", three(v * 1e6)),
        v if v < 1.0 => format!("{} ms", three(v * 1e3)),
        v => format!("{} s", three(v)),
    }
}

/// `37 %`.
pub(super) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent < 9.95 {
        format!("{percent:.1} %")
    } else {
        format!("{percent:.0} %")
    }
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
