//! The two special functions everything else rests on, and the inversion of a tail probability.
//!
//! Written out here rather than taken from a crate so that the verdicts depend on nothing we cannot read;
//! `statrs` and scipy are the oracles of the tests.

use std::f64::consts::PI;

/// `ln Γ(x)` for `x > 0`, absolute error about 1e-14 times the size of the result.
///
/// Stirling's series (Abramowitz, Stegun 6.1.41), reached by the recurrence `Γ(x+1) = x Γ(x)`.
pub(crate) fn ln_gamma(x: f64) -> f64 {
    // From 15 on, five terms of the series are exact to the last bit.
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

/// Regularised incomplete beta function `I_x(a, b)`, for `a, b > 0` and `x + y = 1`.
///
/// The caller gives `y = 1 - x` as well: near `x = 1` it knows `y` far more precisely than the subtraction.
pub(crate) fn beta_regularised(a: f64, b: f64, x: f64, y: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if y <= 0.0 {
        return 1.0;
    }
    // The fraction converges fast only below the mean; above it, use I_x(a,b) = 1 - I_y(b,a).
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - beta_regularised(b, a, y, x);
    }
    let ln_beta = ln_gamma(a) + ln_gamma(b) - ln_gamma(a + b);
    (a * ln_of(x, y) + b * ln_of(y, x) - ln_beta).exp() / a * beta_fraction(a, b, x)
}

/// `ln v`, where `v = 1 - other`: exact also when `v` is so near 1 that its last bits are lost.
fn ln_of(v: f64, other: f64) -> f64 {
    if v > 0.5 { (-other).ln_1p() } else { v.ln() }
}

/// The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method.
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    // Keeps Lentz's divisions away from zero without changing a digit of the result.
    const TINY: f64 = 1e-300;
    let away = |v: f64| if v.abs() < TINY { TINY } else { v };
    let mut c = 1.0;
    let mut d = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let mut value = d;
    // The number of steps grows as sqrt(max(a, b)): 20 000 is enough for a hundred million requests.
    for step in 1..20_000 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / away(1.0 + even * d);
        c = away(1.0 + even / c);
        value *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / away(1.0 + odd * d);
        c = away(1.0 + odd / c);
        value *= d * c;
        if (d * c - 1.0).abs() < 1e-15 {
            break;
        }
    }
    value
}

/// Upper tail of the standard normal distribution, `P(Z > z)`, relative error about 1e-14.
pub(crate) fn normal_tail(z: f64) -> f64 {
    if z < 0.0 {
        return 1.0 - normal_tail(-z);
    }
    let density = (-0.5 * z * z).exp() / (2.0 * PI).sqrt();
    if z < 3.0 {
        // P(0 < Z < z) = density * (z + z^3/3 + z^5/15 + …) (Abramowitz, Stegun 26.2.11): only positive
        // terms.
        let (mut term, mut sum, mut odd) = (z, z, 1.0);
        while term > sum * 1e-17 {
            odd += 2.0;
            term *= z * z / odd;
            sum += term;
        }
        return 0.5 - density * sum;
    }
    // density / (z + 1/(z + 2/(z + 3/…))) (Abramowitz, Stegun 26.2.14), from the far end.
    let fraction = (1..200).rev().fold(z, |rest, n| z + f64::from(n) / rest);
    density / fraction
}

/// The `x >= 0` with `tail(x) = p`, for a distribution symmetric about 0 and `0 < p <= 1/2`.
///
/// Newton on `ln tail`, which is nearly straight in the tails, held inside a bracket that bisection narrows.
pub(crate) fn invert_tail(p: f64, tail: impl Fn(f64) -> f64, density: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while tail(high) > p && high < 1e300 {
        low = high;
        high *= 2.0;
    }
    let mut x = 0.5 * (low + high);
    for _ in 0..200 {
        let at = tail(x);
        if at > p {
            low = x;
        } else {
            high = x;
        }
        let step = (at / p).ln() * at / density(x);
        // Newton doubles the right digits each time: after a step of 1e-9 nothing is left to gain.
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
    fn gamma_at_whole_and_half_numbers() {
        assert!(ln_gamma(1.0).abs() < 1e-14);
        assert!((ln_gamma(11.0) - 3_628_800_f64.ln()).abs() < 1e-13);
        assert!((ln_gamma(0.5) - PI.sqrt().ln()).abs() < 1e-14);
    }

    #[test]
    fn beta_is_one_minus_its_mirror() {
        for (a, b, x) in [(0.5, 3.0, 0.2), (12.0, 0.5, 0.97), (400.0, 600.0, 0.41)] {
            let direct = beta_regularised(a, b, x, 1.0 - x);
            let mirror = beta_regularised(b, a, 1.0 - x, x);
            assert!((direct + mirror - 1.0).abs() < 1e-13, "{a} {b} {x}");
        }
    }

    #[test]
    fn both_forms_of_the_normal_tail_meet() {
        let below = normal_tail(3.0 - 1e-12);
        let above = normal_tail(3.0);
        assert!((below / above - 1.0).abs() < 1e-11);
        assert!((normal_tail(1.959_963_984_540_054) - 0.025).abs() < 1e-15);
    }
}
