//! `find` in an experiment file: what is looked for, and what does not go with it.

use crate::known;
use ask::diagnostic::Rejected;
use ask::experiment::{Experiment, Find, Headline, Objective, Profile, Steps};
use model::measure::Measure;
use model::units::Nanos;

const ARMS: &str = "arms = [\"tomcat:9.0.95\", \"tomcat:10.1.29\"]\n";

fn parse(text: &str, profile: Profile) -> Result<Experiment, Rejected> {
    Experiment::parse_as(&format!("{ARMS}{text}"), "f", &known(), profile)
}

fn full(text: &str) -> Experiment {
    parse(text, Profile::Full).expect("a valid file")
}

#[test]
fn a_capacity_climbs_our_steps_or_the_files_own() {
    let ours = full("[load]\nfind = \"capacity\"\n");
    assert_eq!(ours.design.find, Some(Find::Capacity(Steps::Chosen)));
    assert_eq!(ours.load.connections[..7], [1, 2, 3, 4, 6, 8, 12]);
    assert_eq!(ours.load.connections.last(), Some(&1024));
    let most = full("[load]\nfind = \"capacity\"\nconnections = 40\n");
    assert_eq!(most.load.connections.last(), Some(&32));
    let listed = full("[load]\nfind = \"capacity\"\nconnections = [1, 2, 4, 8, 16, 32]\n");
    assert_eq!(listed.design.find, Some(Find::Capacity(Steps::Given)));
    assert_eq!(listed.load.connections.len(), 6);
}

#[test]
fn what_is_looked_for_is_the_headline_and_nothing_is_measured_at_a_fixed_rate() {
    let compared = |experiment: &Experiment| -> Vec<Measure> {
        let all = Measure::ALL.into_iter();
        all.filter(|measure| experiment.compares(1, *measure)).collect()
    };
    let whole = [Measure::StartUp, Measure::PeakMemory];
    let climbs = full("[load]\nfind = \"capacity\"\n");
    assert_eq!(climbs.design.headline, Headline::One(Measure::Capacity));
    assert_eq!(compared(&climbs), [&whole[..], &[Measure::Capacity]].concat());
    let rate = full("[load]\nfind = \"max-rate\"\nobjective = \"response_p90 < 20ms\"\nconnections = 8\n");
    let objective = Objective { measure: Measure::ResponseP90, limit: Nanos::from_millis(20) };
    assert_eq!(rate.design.find, Some(Find::MaxRate(objective)));
    assert!((objective.allowed().0 - 0.1).abs() < 1e-12);
    let closed = [Measure::Throughput, Measure::CpuPerRequest];
    assert_eq!(compared(&rate), [&closed[..], &whole, &[Measure::MaxRate]].concat());
    let usual = Measure::USUAL.into_iter().filter(|measure| !measure.on_request());
    assert_eq!(compared(&full("")), usual.collect::<Vec<_>>());
}

#[test]
fn some_percentiles_are_compared_where_a_file_names_them() {
    let compares = |text: &str| {
        let experiment = full(text);
        [Measure::ResponseP95, Measure::ResponseP999].map(|measure| experiment.compares(1, measure))
    };
    assert_eq!(compares("[design]\nmargin = { response_p95 = \"3%\" }\n"), [false, false]);
    assert_eq!(compares("[design]\nheadline = \"response_p95\"\n"), [true, false]);
    assert_eq!(compares("[design]\nalso = [\"response_p99.9\"]\n"), [false, true]);
    assert_eq!(
        compares("[require]\nresponse_p95 = \"< 20ms\"\n\"response_p99.9\" = \"< 1s\"\n"),
        [true, true]
    );
}

#[test]
fn a_quick_profile_climbs_less_far_and_keeps_the_rest() {
    let text = "[load]\nfind = \"capacity\"\n[quick]\nload = { connections = 16 }\ndesign = { starts = 5 }\n";
    let quick = parse(text, Profile::Quick).expect("a valid file");
    assert_eq!(quick.load.connections, [1, 2, 3, 4, 6, 8, 12, 16]);
    assert_eq!(quick.design.find, full(text).design.find);
    assert_eq!((quick.design.headline, quick.design.starts), (Headline::One(Measure::Capacity), Some(5)));
}

#[test]
fn what_does_not_go_together_is_refused_with_its_line() {
    let cases = [
        "[load]\nfind = \"capasity\"\n",
        "[load]\nfind = \"max-rate\"\n",
        "[load]\nobjective = \"response_p99 < 20ms\"\n",
        "[load]\nfind = \"capacity\"\nobjective = \"response_p99 < 20ms\"\n",
        "[load]\nfind = \"max-rate\"\nobjective = \"throughput > 5\"\n",
        "[load]\nfind = \"max-rate\"\nobjective = \"service_p99 < 20ms\"\n",
        "[load]\nfind = \"max-rate\"\nobjective = \"response_p99 < 20\"\n",
        "[load]\nfind = \"max-rate\"\nobjective = \"response_p99 < 2ms\"\nconnections = [1, 2]\n",
        "[load]\nfind = \"capacity\"\nconnections = [1, 2, 4]\n",
        "[load]\nfind = \"capacity\"\nconnections = 4\n",
        "[load]\nfind = \"capacity\"\n[design]\nlatency_rate = 5\n",
        "[load]\nfind = \"capacity\"\n[design]\nheadline = \"throughput\"\n",
        "[load]\nfind = \"max-rate\"\nobjective = \"response_p90 < 1ms\"\n[design]\nlatency_pairs = 2\n",
        "[design]\nheadline = \"max_rate\"\n",
        "[load]\nfind = \"capacity\"\n[require]\nthroughput = \"> 5/s\"\n",
        "[load]\nconnections = 5\n[quick]\nload = { find = \"capacity\" }\n",
    ];
    let shown: String = cases
        .iter()
        .map(|case| {
            let rejected = parse(case, Profile::Full).expect_err(case);
            rejected.render("f.toml", &format!("{ARMS}{case}"), false) + "\n"
        })
        .collect();
    insta::assert_snapshot!(shown);
}
