//! Comparison of the functions with reference values that other software computed; `golden/README.md` names it.

use serde_json::Value;
use statrs::distribution::{Beta, Binomial, ContinuousCDF, DiscreteCDF, FisherSnedecor, Normal, StudentsT};
use stats::distribution::{
    beta_cdf, binomial_cdf, clopper_pearson, f_sf, normal_isf, normal_sf, t_cdf, t_isf, t_sf, t_two_sided,
};
use stats::robust::{hodges_lehmann, mean, sd};
use stats::usl::{CapacityPoint, ResidualScale};
use stats::{anytime, changepoint, multiplicity, percentile, sign_flip, summary, usl};

/// The reference values stored under `key`.
fn golden(key: &str) -> Value {
    let all: Value = serde_json::from_str(include_str!("golden/stats.json")).unwrap();
    all[key].clone()
}

/// The elements of a JSON array; `null` stands for infinity, which JSON cannot express.
fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap_or(f64::INFINITY)).collect()
}

fn rows(key: &str) -> Vec<Vec<f64>> {
    golden(key).as_array().unwrap().iter().map(numbers).collect()
}

/// Asserts that two numbers agree up to a relative error.
#[track_caller]
fn assert_close(ours: f64, theirs: f64, relative: f64) {
    let off = ((ours - theirs) / theirs.abs().max(f64::MIN_POSITIVE)).abs();
    assert!(off <= relative, "{ours} against {theirs}: off by {off:e}");
}

#[test]
fn t_quantiles_equal_those_of_scipy() {
    for row in rows("t_isf") {
        // scipy's error is up to 2e-11. Ours is smaller: `t_sf` of it gives p again, and it equals the closed form
        // below.
        assert_close(t_isf(row[1], row[0]), row[2], 1e-10);
        assert_close(t_sf(t_isf(row[1], row[0]), row[0]), row[1], 1e-13);
    }
    // The solution of P(T > t) = 5e-4 for df = 3, from the closed form evaluated to 50 digits.
    assert_close(t_isf(0.0005, 3.0), 12.923_978_636_687_5, 1e-14);
}

#[test]
fn statistics_of_twelve_rounds_equal_those_of_scipy() {
    let golden = golden("fork_vector");
    let d = numbers(&golden["D"]);
    let value = |key: &str| golden[key].as_f64().unwrap();
    assert_close(mean(&d).unwrap(), value("mean"), 1e-14);
    assert_close(sd(&d).unwrap(), value("sd"), 1e-14);
    assert_close(hodges_lehmann(&d).unwrap(), value("hodges_lehmann"), 1e-14);
    let test = summary::t_test(&d).unwrap();
    assert_close(test.t, value("t"), 1e-13);
    assert_close(test.p, value("p_t"), 1e-12);
    let interval = summary::estimate(&d, 0.99).unwrap().interval.unwrap();
    let ends = numbers(&golden["ci99"]);
    assert_close(interval.low, ends[0], 1e-12);
    assert_close(interval.high, ends[1], 1e-12);
    assert_eq!(sign_flip::p_value(&d, 0), value("p_signflip_exact"));
}

#[test]
fn anytime_valid_half_widths_equal_the_published_formula() {
    for row in golden("avt_radius").as_array().unwrap() {
        let [k, sd, alpha, phi, _] = numbers(row)[..] else { panic!("five columns") };
        match (anytime::half_width(k as usize, sd, alpha, phi), row[4].as_f64()) {
            (Some(ours), Some(theirs)) => assert_close(ours, theirs, 1e-12),
            (ours, theirs) => assert_eq!(ours, theirs, "{row}"),
        }
    }
}

#[test]
fn exact_intervals_of_a_proportion_equal_those_of_scipy() {
    for row in golden("clopper_pearson").as_array().unwrap() {
        let ends = numbers(&row[2]);
        let ours = clopper_pearson(row[0].as_u64().unwrap(), row[1].as_u64().unwrap(), 0.95);
        // scipy searches for the lower end with an absolute tolerance, which costs it 1.2e-9 at 1 of 100.
        assert!(ours.low == ends[0] || (ours.low / ends[0] - 1.0).abs() < 2e-9);
        assert_close(ours.high, ends[1], 1e-10);
    }
    // Closed forms: for 1 of n the lower end is 1 - 0.975^(1/n), for 0 of n the upper end is 1 - 0.025^(1/n).
    assert_close(clopper_pearson(1, 100, 0.95).low, -(0.975_f64.ln() / 100.0).exp_m1(), 1e-13);
    assert_close(clopper_pearson(0, 59, 0.95).high, -(0.025_f64.ln() / 59.0).exp_m1(), 1e-13);
}

#[test]
fn holm_adjusted_p_values_equal_the_formula() {
    let golden = golden("holm");
    for (ours, theirs) in multiplicity::holm(&numbers(&golden["p"])).iter().zip(numbers(&golden["adj"])) {
        assert_close(*ours, theirs, 1e-14);
    }
}

#[test]
fn ranks_around_a_quantile_equal_those_of_scipy() {
    for row in rows("quantile_ci_ranks_95") {
        let ranks = percentile::rank_interval(row[0] as u64, row[1], 0.95);
        assert_eq!(ranks, (row[2] as u64, row[3] as u64), "{row:?}");
    }
    for (q, n) in golden("min_n_for_95_upper_bound").as_object().unwrap() {
        let ours = percentile::min_n_for_upper_bound(q.parse().unwrap(), 0.95);
        assert_eq!(Some(ours), n.as_u64(), "{q}");
    }
}

/// The points of a capacity curve, from two JSON arrays of the same length.
fn points(users: &Value, rates: &Value) -> Vec<CapacityPoint> {
    numbers(users)
        .into_iter()
        .zip(numbers(rates))
        .map(|(users, rate)| CapacityPoint { users, rate })
        .collect()
}

#[test]
fn scalability_law_fits_specsdm91_as_the_r_package_usl_does() {
    let golden = golden("usl_specsdm91");
    let value = |key: &str| golden[key].as_f64().unwrap();
    let points = points(&golden["load"], &golden["thr"]);
    let plain = usl::fit(&points, ResidualScale::Plain).unwrap();
    assert_close(plain.alpha, value("alpha"), 1e-5);
    assert_close(plain.beta, value("beta"), 1e-5);
    assert_close(plain.gamma, value("gamma"), 1e-5);
    for (ours, theirs) in usl::standard_errors(&points, &plain).unwrap().iter().zip(numbers(&golden["se"])) {
        assert_close(*ours, theirs, 1e-4);
    }
    assert_close(plain.peak_users().unwrap(), value("Npeak"), 1e-5);
    assert_close(plain.optimal_users().unwrap(), value("Nopt"), 1e-5);
    assert_close(plain.limit().unwrap(), value("Xlimit"), 1e-5);
    assert_close(plain.peak_rate().unwrap(), value("Xpeak"), 1e-6);

    let log = usl::fit(&points, ResidualScale::Log).unwrap();
    assert_close(log.alpha, 0.0134525, 1e-5);
    assert_close(log.beta, 1.151101e-4, 1e-5);
    assert_close(log.gamma, 67.94232, 1e-5);
    assert_close(log.peak_users().unwrap(), 92.577, 1e-5);
}

#[test]
fn scalability_law_fits_raytracer_as_the_r_package_usl_does() {
    let golden = golden("usl_raytracer6");
    let points = points(&golden["N"], &golden["X"]);
    let plain = usl::fit(&points, ResidualScale::Plain).unwrap();
    let errors = usl::standard_errors(&points, &plain).unwrap();
    let ours = [plain.alpha, plain.beta, plain.gamma];
    let [est, low, high] = ["est", "lo", "hi"].map(|key| numbers(&golden[key]));
    for i in 0..3 {
        assert_close(ours[i], est[i], 1e-5);
        let half = t_isf(0.025, 3.0) * errors[i];
        assert_close(ours[i] + half, high[i], 1e-4);
        assert!((ours[i] - half - low[i]).abs() < 1e-4 * est[i]);
    }
}

#[test]
fn change_points_equal_those_that_otava_finds() {
    let golden = golden("edivisive");
    let night = |value| changepoint::Night { value, se: 0.0 };
    let nights: Vec<_> = numbers(&golden["series"]).into_iter().map(night).collect();
    let points = changepoint::find(&nights, 1);
    let confirmed: Vec<f64> = points.iter().filter(|p| p.confirmed).map(|p| p.night as f64).collect();
    assert_eq!(confirmed, numbers(&golden["change_points"]));
    assert_eq!(points.len(), confirmed.len());
}

/// A second reference, on a grid of arguments. `statrs` agrees with scipy to 3e-13 (distribution functions) and
/// 2.5e-11 (quantiles).
#[test]
fn distributions_equal_those_of_statrs() {
    let normal = Normal::standard();
    for step in 0..=80 {
        let x = -8.0 + 0.2 * f64::from(step);
        for df in [1.0, 2.5, 4.0, 19.0, 59.0, 300.0] {
            let theirs = StudentsT::new(0.0, 1.0, df).unwrap();
            assert_close(t_cdf(x, df), theirs.cdf(x), 1e-11);
        }
        assert_close(normal_sf(x), normal.sf(x), 1e-10);
    }
    for p in [1e-9, 1e-4, 0.01, 0.025, 0.3, 0.5, 0.8, 0.999] {
        assert!((normal_sf(normal_isf(p)) / p - 1.0).abs() < 1e-13);
        assert_close(beta_cdf(p, 2.5, 7.0), Beta::new(2.5, 7.0).unwrap().cdf(p), 1e-11);
        assert_close(binomial_cdf(30, 100, p), Binomial::new(p, 100).unwrap().cdf(30), 1e-10);
    }
    for (x, a, b) in [(0.1, 6.0, 6.0), (1.0, 3.0, 6.0), (4.2, 6.0, 2.5), (30.0, 19.0, 6.0)] {
        assert_close(f_sf(x, a, b), FisherSnedecor::new(a, b).unwrap().sf(x), 1e-10);
    }
    assert_close(t_two_sided(-3.0, 9.0), 2.0 * StudentsT::new(0.0, 1.0, 9.0).unwrap().cdf(-3.0), 1e-11);
}
