//! The special functions behind [`crate::distribution`] (log-gamma, incomplete beta, normal tail), and the
//! inversion of a tail probability.
//!
//! They are written out here instead of being taken from a crate, so that everything a verdict depends on can
//! be read in one place. The tests compare them with `statrs` and scipy.

use std::f64::consts::PI;

/// `ln Γ(x)` for `x > 0`, absolute error about 1e-14 times the size of the result.
///
/// Stirling's series (Abramowitz, Stegun 6.1.41), after the recurrence `Γ(x+1) = x Γ(x)` has brought the
/// argument to 15 or more.
pub(crate) fn ln_gamma(x: f64) -> f64 {
    // From 15 on, five terms of the series are exact to the last bit of a double.
    let mut shifted = x;
    let mut product = 1.0;
    while shifted < 15.0 {
        product *= shifted;
        shifted += 1.0;
    }
    let inv = 1.0 / shifted;
    let sq = inv * inv;
    let tail =
        inv * (1.0 / 12.0 - sq * (1.0 / 360.0 - sq * (1.0 / 1260.0 - sq * (1.0 / 1680.0 - sq / 1188.0))));
    (shifted - 0.5) * shifted.ln() - shifted + 0.5 * (2.0 * PI).ln() + tail - f64::ln(product)
}

/// An argument from which on the asymptotic series below are exact to the last bits, and what the recurrence adds up on the way there:
/// the sum of `1/x^power`.
fn shifted(x: f64, power: i32) -> (f64, f64) {
    let (mut x, mut sum) = (x, 0.0);
    while x < 15.0 {
        sum += x.powi(-power);
        x += 1.0;
    }
    (x, sum)
}

/// `ψ(x) = d ln Γ(x) / dx` for `x > 0`: the asymptotic series (Abramowitz, Stegun 6.3.18) after the recurrence `ψ(x+1) = ψ(x) + 1/x`.
pub(crate) fn digamma(x: f64) -> f64 {
    let (x, sum) = shifted(x, 1);
    let sq = 1.0 / (x * x);
    let tail = sq * (1.0 / 12.0 - sq * (1.0 / 120.0 - sq * (1.0 / 252.0 - sq * (1.0 / 240.0 - sq / 132.0))));
    x.ln() - 0.5 / x - tail - sum
}

/// `ψ'(x)` for `x > 0` (Abramowitz, Stegun 6.4.12).
pub(crate) fn trigamma(x: f64) -> f64 {
    let (x, sum) = shifted(x, 2);
    let (inv, sq) = (1.0 / x, 1.0 / (x * x));
    let tail = 1.0 / 6.0 - sq * (1.0 / 30.0 - sq * (1.0 / 42.0 - sq * (1.0 / 30.0 - sq * 5.0 / 66.0)));
    inv + 0.5 * sq + inv * sq * tail + sum
}

/// `ψ''(x)` for `x > 0` (Abramowitz, Stegun 6.4.13).
fn tetragamma(x: f64) -> f64 {
    let (x, sum) = shifted(x, 3);
    let (inv, sq) = (1.0 / x, 1.0 / (x * x));
    let tail = 0.5 - sq * (1.0 / 6.0 - sq * (1.0 / 6.0 - sq * (0.3 - sq * 5.0 / 6.0)));
    -sq - inv * sq - sq * sq * tail - 2.0 * sum
}

/// The `x > 0` with `ψ'(x) = y`, for `y > 0`, by Newton's method on `1/ψ'`, which is convex and nearly straight, so that the steps from
/// `0.5 + 1/y` all go one way (Smyth 2004, appendix).
pub(crate) fn trigamma_inverse(y: f64) -> f64 {
    let mut x = 0.5 + 1.0 / y;
    for _ in 0..50 {
        let at_x = trigamma(x);
        let step = at_x * (1.0 - at_x / y) / tetragamma(x);
        x += step;
        if -step / x < 1e-12 {
            break;
        }
    }
    x
}

/// The regularised incomplete beta function `I_x(a, b)`, for `a, b > 0` and `x + y = 1`.
///
/// The caller passes `y = 1 - x` as well, because near `x = 1` the subtraction would lose its digits.
pub(crate) fn beta_regularised(a: f64, b: f64, x: f64, y: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if y <= 0.0 {
        return 1.0;
    }
    // The continued fraction converges fast only below the mean; above it, I_x(a,b) = 1 - I_y(b,a) is used.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - beta_regularised(b, a, y, x);
    }
    let ln_beta = ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b);
    (a * precise_ln(x, y) + b * precise_ln(y, x) - ln_beta).exp() / a * beta_fraction(a, b, x)
}

/// `ln v`, given `v` and its complement `1 - v`; precise also when `v` is so near 1 that rounding has lost its
/// last digits.
fn precise_ln(v: f64, complement: f64) -> f64 {
    if v > 0.5 { (-complement).ln_1p() } else { v.ln() }
}

/// The continued fraction of the incomplete beta function (DLMF 8.17.22), evaluated by Lentz's method (Lentz,
/// Applied Optics 1976).
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    // Keeps Lentz's method from dividing by zero; it is too small to change a digit of the result.
    const TINY: f64 = 1e-300;
    let nonzero = |v: f64| if v.abs() < TINY { TINY } else { v };
    let mut c = 1.0;
    let mut d = 1.0 / nonzero(1.0 - (a + b) * x / (a + 1.0));
    let mut value = d;
    // The number of steps grows as sqrt(max(a, b)): 20 000 are enough for a hundred million requests.
    for step in 1..20_000 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / nonzero(1.0 + even * d);
        c = nonzero(1.0 + even / c);
        value *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / nonzero(1.0 + odd * d);
        c = nonzero(1.0 + odd / c);
        value *= d * c;
        if (d * c - 1.0).abs() < 1e-15 {
            break;
        }
    }
    value
}

/// The upper tail of the standard normal distribution, `P(Z > z)`, with a relative error of about 1e-14.
pub(crate) fn normal_tail(z: f64) -> f64 {
    if z < 0.0 {
        return 1.0 - normal_tail(-z);
    }
    let density = (-0.5 * z * z).exp() / (2.0 * PI).sqrt();
    if z < 3.0 {
        // P(0 < Z < z) = density * (z + z^3/3 + z^5/15 + …) (Abramowitz, Stegun 26.2.11): all terms are
        // positive, so no digits cancel.
        let (mut term, mut sum, mut odd) = (z, z, 1.0);
        while term > sum * 1e-17 {
            odd += 2.0;
            term *= z * z / odd;
            sum += term;
        }
        return 0.5 - density * sum;
    }
    // density / (z + 1/(z + 2/(z + 3/…))) (Abramowitz, Stegun 26.2.14), evaluated from the innermost term.
    let fraction = (1..200).rev().fold(z, |rest, n| z + f64::from(n) / rest);
    density / fraction
}

/// The `x >= 0` with `tail(x) = p`, for a distribution symmetric about 0 and `0 < p <= 1/2`.
///
/// `density` is the density of the distribution, the negated derivative of `tail`. Newton's method is applied
/// to `ln tail`, which is nearly straight far out, and is held inside a bracket that bisection narrows.
pub(crate) fn invert_tail(p: f64, tail: impl Fn(f64) -> f64, density: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while tail(high) > p && high < 1e300 {
        low = high;
        high *= 2.0;
    }
    let mut x = 0.5 * (low + high);
    for _ in 0..200 {
        let tail_at_x = tail(x);
        if tail_at_x > p {
            low = x;
        } else {
            high = x;
        }
        let step = (tail_at_x / p).ln() * tail_at_x / density(x);
        // Newton's method doubles the number of correct digits each time: after a step of 1e-9 all are correct.
        if step.abs() <= 1e-9 * x || high - low <= 1e-15 * high {
            return x + step;
        }
        let inside = x + step > low && x + step < high;
        x = if inside { x + step } else { 0.5 * (low + high) };
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_gamma_is_correct_at_integers_and_one_half() {
        assert!(ln_gamma(1.0).abs() < 1e-14);
        assert!((ln_gamma(11.0) - 3_628_800_f64.ln()).abs() < 1e-13);
        assert!((ln_gamma(0.5) - PI.sqrt().ln()).abs() < 1e-14);
    }

    #[test]
    fn derivatives_of_log_gamma_are_as_in_tables() {
        // Abramowitz, Stegun, tables 6.1 and 6.2, with more digits; at 1 and 1/2 they have closed forms.
        for (x, psi, first, second) in [
            (0.5, -1.963_510_026_021_423_5, PI * PI / 2.0, -16.828_796_644_234_32),
            (1.0, -0.577_215_664_901_532_9, PI * PI / 6.0, -2.404_113_806_319_188_6),
            (3.0, 0.922_784_335_098_467_1, PI * PI / 6.0 - 1.25, -0.154_113_806_319_188_6),
            (10.0, 2.251_752_589_066_721, 0.105_166_335_681_685_75, -0.011_049_834_970_802_087),
        ] {
            assert!((digamma(x) - psi).abs() < 1e-12, "{x}: {}", digamma(x));
            assert!((trigamma(x) - first).abs() < 1e-12, "{x}: {}", trigamma(x));
            assert!((tetragamma(x) - second).abs() < 1e-11, "{x}: {}", tetragamma(x));
        }
    }

    #[test]
    fn the_inverse_of_trigamma_finds_its_argument() {
        for x in [0.01, 0.5, 1.0, 3.0, 12.5, 4000.0] {
            let found = trigamma_inverse(trigamma(x));
            assert!((found / x - 1.0).abs() < 1e-10, "{x}: {found}");
        }
    }

    #[test]
    fn the_incomplete_beta_function_and_its_mirror_image_add_up_to_one() {
        for (a, b, x) in [(0.5, 3.0, 0.2), (12.0, 0.5, 0.97), (400.0, 600.0, 0.41)] {
            let direct = beta_regularised(a, b, x, 1.0 - x);
            let mirror = beta_regularised(b, a, 1.0 - x, x);
            assert!((direct + mirror - 1.0).abs() < 1e-13, "{a} {b} {x}");
        }
    }

    #[test]
    fn series_and_continued_fraction_of_the_normal_tail_agree_where_they_meet() {
        let below = normal_tail(3.0 - 1e-12);
        let above = normal_tail(3.0);
        assert!((below / above - 1.0).abs() < 1e-11);
        assert!((normal_tail(1.959_963_984_540_054) - 0.025).abs() < 1e-15);
    }
}
