//! [`Decimal`]: a decimal number, as Java's `BigDecimal`, which Groovy takes for numbers with a point and for quotients.

use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Groovy's quotients that have no end get so many digits more than their operands, and so many behind the point
/// (`org.codehaus.groovy.runtime.typehandling.BigDecimalMath`).
const EXTRA_DIGITS: u32 = 10;

/// A decimal number: `digits` divided by ten to the power of `scale`. Operations give `None` where the result would have more than 38
/// digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decimal {
    digits: i128,
    scale: i32,
}

impl Decimal {
    /// Reads a number such as `-1.50`, which keeps its last zero. `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if unsigned.is_empty() || !is_number(whole) || !is_number(fraction) || unsigned == "." {
            return None;
        }
        let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
        let digits = if text.starts_with('-') { -digits } else { digits };
        Some(Self { digits, scale: fraction.len() as i32 })
    }

    /// The number as a number of 64 bits with a fraction.
    pub fn to_f64(self) -> f64 {
        format!("{}e{}", self.digits, -self.scale).parse().unwrap_or(f64::NAN)
    }

    /// The number without its fraction.
    pub fn trunc(self) -> i128 {
        match u32::try_from(self.scale) {
            Ok(scale) => 10_i128.checked_pow(scale).map_or(0, |power| self.digits / power),
            Err(_) => self.digits.saturating_mul(10_i128.saturating_pow(self.scale.unsigned_abs())),
        }
    }

    /// Whether it is 0.
    pub const fn is_zero(self) -> bool {
        self.digits == 0
    }

    /// The digits of both numbers, and their common scale.
    fn aligned(self, other: Self) -> Option<(i128, i128, i32)> {
        let scale = self.scale.max(other.scale);
        Some((self.digits_at(scale)?, other.digits_at(scale)?, scale))
    }

    fn digits_at(self, scale: i32) -> Option<i128> {
        let power = 10_i128.checked_pow(u32::try_from(scale - self.scale).ok()?)?;
        self.digits.checked_mul(power)
    }

    /// The sum.
    pub fn plus(self, other: Self) -> Option<Self> {
        let (one, two, scale) = self.aligned(other)?;
        Some(Self { digits: one.checked_add(two)?, scale })
    }

    /// The difference.
    pub fn minus(self, other: Self) -> Option<Self> {
        self.plus(other.negated())
    }

    /// The product.
    pub fn times(self, other: Self) -> Option<Self> {
        Some(Self { digits: self.digits.checked_mul(other.digits)?, scale: self.scale + other.scale })
    }

    /// The quotient as Groovy computes it: exact where it has an end, and else rounded. `None` for a division by 0.
    pub fn divided_by(self, other: Self) -> Option<Self> {
        if other.digits == 0 {
            return None;
        }
        let preferred = self.scale - other.scale;
        if let Some(exact) = self.exact_quotient(other, preferred) {
            return Some(exact);
        }
        let precision = self.precision().max(other.precision()) + EXTRA_DIGITS;
        let rounded = self.rounded_quotient(other, precision)?;
        let scale = self.scale.max(other.scale).max(EXTRA_DIGITS as i32);
        Some(if rounded.scale > scale { rounded.at_scale(scale)? } else { rounded })
    }

    /// The quotient if it has an end, with the smallest scale from `preferred` on that holds it.
    fn exact_quotient(self, other: Self, preferred: i32) -> Option<Self> {
        let mut digits = self.digits;
        let mut scale = preferred;
        while digits % other.digits != 0 {
            digits = digits.checked_mul(10)?;
            scale += 1;
            if scale - preferred > 38 {
                return None;
            }
        }
        Some(Self { digits: digits / other.digits, scale })
    }

    /// The quotient with so many digits, rounded half up.
    fn rounded_quotient(self, other: Self, precision: u32) -> Option<Self> {
        let mut numerator = self.digits.checked_abs()?;
        let mut denominator = other.digits.checked_abs()?;
        let mut scale = self.scale - other.scale;
        let limit = 10_i128.checked_pow(precision)?;
        while numerator / denominator >= limit {
            denominator = denominator.checked_mul(10)?;
            scale -= 1;
        }
        while (numerator / denominator).checked_mul(10)? < limit {
            numerator = numerator.checked_mul(10)?;
            scale += 1;
        }
        let quotient = (numerator.checked_mul(2)? + denominator) / denominator.checked_mul(2)?;
        let negative = (self.digits < 0) != (other.digits < 0);
        Some(Self { digits: if negative { -quotient } else { quotient }, scale })
    }

    /// The number at a smaller scale, rounded half up.
    fn at_scale(self, scale: i32) -> Option<Self> {
        let power = 10_i128.checked_pow(u32::try_from(self.scale - scale).ok()?)?;
        let half = if self.digits < 0 { -power / 2 } else { power / 2 };
        Some(Self { digits: self.digits.checked_add(half)? / power, scale })
    }

    /// The number with the other sign.
    #[must_use]
    pub const fn negated(self) -> Self {
        Self { digits: -self.digits, scale: self.scale }
    }

    fn precision(self) -> u32 {
        self.digits.unsigned_abs().checked_ilog10().unwrap_or(0) + 1
    }
}

impl From<i64> for Decimal {
    fn from(digits: i64) -> Self {
        Self { digits: i128::from(digits), scale: 0 }
    }
}

impl PartialOrd for Decimal {
    /// Compares the numbers, whatever their scales; `None` where one is too large for that.
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        let (one, two, _) = self.aligned(*other)?;
        Some(one.cmp(&two))
    }
}

impl std::fmt::Display for Decimal {
    /// As `BigDecimal.toString` writes it, which has an exponent for a negative scale and for very small numbers.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = if self.digits < 0 { "-" } else { "" };
        let digits = self.digits.unsigned_abs().to_string();
        let exponent = digits.len() as i32 - 1 - self.scale;
        if self.scale < 0 || exponent < -6 {
            let (first, rest) = digits.split_at(1);
            let point = if rest.is_empty() { "" } else { "." };
            return write!(f, "{sign}{first}{point}{rest}E{exponent:+}");
        }
        let scale = self.scale as usize;
        let padded = format!("{digits:0>width$}", width = scale + 1);
        let (whole, fraction) = padded.split_at(padded.len() - scale);
        let point = if scale > 0 { "." } else { "" };
        write!(f, "{sign}{whole}{point}{fraction}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Decimal {
        Decimal::parse(text).unwrap_or_else(|| panic!("{text} is no number"))
    }

    #[test]
    fn quotients_are_those_of_groovy() {
        for (one, two, quotient) in [
            ("7", "2", "3.5"),
            ("10", "2", "5"),
            ("1", "3", "0.3333333333"),
            ("22", "7", "3.1428571429"),
            ("-2", "3", "-0.6666666667"),
            ("10.0", "4", "2.5"),
            ("0.5", "3", "0.1666666667"),
            ("100", "2.5", "4E+1"),
        ] {
            let found = number(one).divided_by(number(two)).map(|found| found.to_string());
            assert_eq!(found.as_deref(), Some(quotient), "{one} / {two}");
        }
        assert_eq!(number("1").divided_by(number("0.00")), None);
    }

    #[test]
    fn zeros_behind_the_point_stay() {
        let sum = number("1.10").plus(number("2.20")).expect("a sum");
        assert_eq!(sum.to_string(), "3.30");
        assert_eq!(number("1.5").times(number("2")).expect("a product").to_string(), "3.0");
        assert_eq!(number("-0.0000001").to_string(), "-1E-7");
        assert_eq!(number("-12.50").trunc(), -12);
        assert!(number("3.30") > number("3.2999"));
    }

    #[test]
    fn what_is_too_large_has_no_result() {
        let large = number(&"9".repeat(38));
        assert_eq!(large.times(large), None);
        assert_eq!(Decimal::parse("1e3"), None);
        assert_eq!(Decimal::parse("."), None);
    }
}
