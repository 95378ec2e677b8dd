//! Every function against values made by somebody else's code; `golden/README.md` says whose.

use serde_json::Value;
use statrs::distribution::{Beta, Binomial, ContinuousCDF, DiscreteCDF, Normal, StudentsT};
use stats::distribution::{
    beta_cdf, binomial_cdf, clopper_pearson, normal_isf, normal_sf, t_cdf, t_isf, t_sf, t_two_sided,
};
use stats::robust::{hodges_lehmann, mean, sd};
use stats::usl::{Point, Scale};
use stats::{anytime, boundary, changepoint, multiplicity, percentile, sign_flip, summary, usl};

fn golden(key: &str) -> Value {
    let all: Value = serde_json::from_str(include_str!("golden/stats.json")).unwrap();
    all[key].clone()
}

fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v.as_f64().unwrap_or(f64::INFINITY))
        .collect()
}

fn rows(key: &str) -> Vec<Vec<f64>> {
    golden(key).as_array().unwrap().iter().map(numbers).collect()
}

#[track_caller]
fn close(ours: f64, theirs: f64, relative: f64) {
    let off = ((ours - theirs) / theirs.abs().max(f64::MIN_POSITIVE)).abs();
    assert!(off <= relative, "{ours} against {theirs}: off by {off:e}");
}

#[test]
fn t_quantiles() {
    for row in rows("t_isf") {
        // scipy's own error reaches 2e-11: ours comes back to p, and the closed form below is met.
        close(t_isf(row[1], row[0]), row[2], 1e-10);
        close(t_sf(t_isf(row[1], row[0]), row[0]), row[1], 1e-13);
    }
    // P(T > t) = 5e-4 for df = 3 has a closed form; to 50 digits it gives this.
    close(t_isf(0.0005, 3.0), 12.923_978_636_687_5, 1e-14);
}

#[test]
fn summary_of_the_twelve_rounds() {
    let golden = golden("fork_vector");
    let d = numbers(&golden["D"]);
    let value = |key: &str| golden[key].as_f64().unwrap();
    close(mean(&d).unwrap(), value("mean"), 1e-14);
    close(sd(&d).unwrap(), value("sd"), 1e-14);
    close(hodges_lehmann(&d).unwrap(), value("hodges_lehmann"), 1e-14);
    let test = summary::t_test(&d).unwrap();
    close(test.t, value("t"), 1e-13);
    close(test.p, value("p_t"), 1e-12);
    let interval = summary::estimate(&d, 0.99).unwrap().interval.unwrap();
    let ends = numbers(&golden["ci99"]);
    close(interval.low, ends[0], 1e-12);
    close(interval.high, ends[1], 1e-12);
    assert_eq!(sign_flip::p_value(&d, 0), value("p_signflip_exact"));
}

#[test]
fn anytime_valid_half_widths() {
    for row in golden("avt_radius").as_array().unwrap() {
        let [k, sd, alpha, phi, _] = numbers(row)[..] else {
            panic!("five columns")
        };
        match (anytime::half_width(k as usize, sd, alpha, phi), row[4].as_f64()) {
            (Some(ours), Some(theirs)) => close(ours, theirs, 1e-12),
            (ours, theirs) => assert_eq!(ours, theirs, "{row}"),
        }
    }
}

#[test]
fn boundary_tables() {
    let golden = golden("kd2_nominal_two_sided_p_looks_5_to_K");
    let tables = golden.as_object().unwrap();
    assert_eq!(tables.len(), 18);
    for (name, levels) in tables {
        let (cap, alpha) = name.strip_prefix("K=").unwrap().split_once(" alpha=").unwrap();
        let (cap, alpha) = (cap.parse().unwrap(), alpha.parse().unwrap());
        let ours: Vec<f64> = (5..=cap).map(|k| boundary::a_k(cap, alpha, k).unwrap()).collect();
        assert_eq!(ours, numbers(levels), "{name}");
    }
}

#[test]
fn exact_intervals_of_a_proportion() {
    for row in golden("clopper_pearson").as_array().unwrap() {
        let ends = numbers(&row[2]);
        let ours = clopper_pearson(row[0].as_u64().unwrap(), row[1].as_u64().unwrap(), 0.95);
        // scipy searches for the lower end with an absolute tolerance: 1.2e-9 off at 1 of 100.
        assert!(ours.low == ends[0] || (ours.low / ends[0] - 1.0).abs() < 2e-9);
        close(ours.high, ends[1], 1e-10);
    }
    // One of n: 1 - 0.975^(1/n).
    close(
        clopper_pearson(1, 100, 0.95).low,
        -(0.975_f64.ln() / 100.0).exp_m1(),
        1e-13,
    );
    close(
        clopper_pearson(0, 59, 0.95).high,
        -(0.025_f64.ln() / 59.0).exp_m1(),
        1e-13,
    );
}

#[test]
fn holm_adjustment() {
    let golden = golden("holm");
    for (ours, theirs) in multiplicity::holm(&numbers(&golden["p"]))
        .iter()
        .zip(numbers(&golden["adj"]))
    {
        close(*ours, theirs, 1e-14);
    }
}

#[test]
fn ranks_around_a_quantile() {
    for row in rows("quantile_ci_ranks_95") {
        let ranks = percentile::rank_interval(row[0] as u64, row[1], 0.95);
        assert_eq!(ranks, (row[2] as u64, row[3] as u64), "{row:?}");
    }
    for (q, n) in golden("min_n_for_95_upper_bound").as_object().unwrap() {
        let ours = percentile::min_n_for_upper_bound(q.parse().unwrap(), 0.95);
        assert_eq!(Some(ours), n.as_u64(), "{q}");
    }
}

fn points(users: &Value, rates: &Value) -> Vec<Point> {
    numbers(users)
        .into_iter()
        .zip(numbers(rates))
        .map(|(users, rate)| Point { users, rate })
        .collect()
}

#[test]
fn scalability_law_on_specsdm91() {
    let golden = golden("usl_specsdm91");
    let value = |key: &str| golden[key].as_f64().unwrap();
    let points = points(&golden["load"], &golden["thr"]);
    let plain = usl::fit(&points, Scale::Plain).unwrap();
    close(plain.alpha, value("alpha"), 1e-5);
    close(plain.beta, value("beta"), 1e-5);
    close(plain.gamma, value("gamma"), 1e-5);
    for (ours, theirs) in usl::standard_errors(&points, &plain)
        .unwrap()
        .iter()
        .zip(numbers(&golden["se"]))
    {
        close(*ours, theirs, 1e-4);
    }
    close(plain.peak_users().unwrap(), value("Npeak"), 1e-5);
    close(plain.optimal_users().unwrap(), value("Nopt"), 1e-5);
    close(plain.limit().unwrap(), value("Xlimit"), 1e-5);
    close(plain.peak_rate().unwrap(), value("Xpeak"), 1e-6);

    let log = usl::fit(&points, Scale::Log).unwrap();
    close(log.alpha, 0.0134525, 1e-5);
    close(log.beta, 1.151101e-4, 1e-5);
    close(log.gamma, 67.94232, 1e-5);
    close(log.peak_users().unwrap(), 92.577, 1e-5);
}

#[test]
fn scalability_law_on_raytracer() {
    let golden = golden("usl_raytracer6");
    let points = points(&golden["N"], &golden["X"]);
    let plain = usl::fit(&points, Scale::Plain).unwrap();
    let errors = usl::standard_errors(&points, &plain).unwrap();
    let ours = [plain.alpha, plain.beta, plain.gamma];
    let [est, low, high] = ["est", "lo", "hi"].map(|key| numbers(&golden[key]));
    for i in 0..3 {
        close(ours[i], est[i], 1e-5);
        let half = t_isf(0.025, 3.0) * errors[i];
        close(ours[i] + half, high[i], 1e-4);
        assert!((ours[i] - half - low[i]).abs() < 1e-4 * est[i]);
    }
}

#[test]
fn change_points_of_otavas_series() {
    let golden = golden("edivisive");
    let night = |value| changepoint::Night { value, se: 0.0 };
    let nights: Vec<_> = numbers(&golden["series"]).into_iter().map(night).collect();
    let found = changepoint::find(&nights, 1);
    let confirmed: Vec<f64> = found
        .iter()
        .filter(|p| p.confirmed)
        .map(|p| p.night as f64)
        .collect();
    assert_eq!(confirmed, numbers(&golden["change_points"]));
    assert_eq!(found.len(), confirmed.len());
}

/// A second oracle, over a grid: `statrs` agrees with scipy to 3e-13 (CDF) and 2.5e-11 (quantile).
#[test]
fn distributions_against_statrs() {
    let normal = Normal::standard();
    for step in 0..=80 {
        let x = -8.0 + 0.2 * f64::from(step);
        for df in [1.0, 2.5, 4.0, 19.0, 59.0, 300.0] {
            let theirs = StudentsT::new(0.0, 1.0, df).unwrap();
            close(t_cdf(x, df), theirs.cdf(x), 1e-11);
        }
        close(normal_sf(x), normal.sf(x), 1e-10);
    }
    for p in [1e-9, 1e-4, 0.01, 0.025, 0.3, 0.5, 0.8, 0.999] {
        assert!((normal_sf(normal_isf(p)) / p - 1.0).abs() < 1e-13);
        close(beta_cdf(p, 2.5, 7.0), Beta::new(2.5, 7.0).unwrap().cdf(p), 1e-11);
        close(
            binomial_cdf(30, 100, p),
            Binomial::new(p, 100).unwrap().cdf(30),
            1e-10,
        );
    }
    close(
        t_two_sided(-3.0, 9.0),
        2.0 * StudentsT::new(0.0, 1.0, 9.0).unwrap().cdf(-3.0),
        1e-11,
    );
}
