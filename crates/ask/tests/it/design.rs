//! The keys of `[design]`: which values they have by default, and which follow from others.

use crate::known;
use ask::experiment::{Design, Experiment, Headline, Pacing};
use model::measure::Measure;

/// The design of a file with two arms and these keys of `[design]`.
fn design(keys: &str) -> Design {
    let text = format!("arms = [\"tomcat:9.0.95\", \"tomcat:10.1.29\"]\n[design]\n{keys}\n");
    Experiment::parse(&text, "f", &known()).expect("a valid file").design
}

#[test]
fn without_a_name_the_headline_is_three_measures_and_that_of_a_gate_is_cpu_per_request() {
    assert_eq!(design("").headline, Headline::Overall);
    assert_eq!(design("gate = \"3%\"").headline, Headline::One(Measure::CpuPerRequest));
    let both = design("headline = \"response_p99\"\ngate = \"3%\"");
    assert_eq!(both.headline, Headline::One(Measure::ResponseP99));
    assert_eq!(both.margin(Measure::ResponseP99), 0.03);
    // A margin for three measures is the margin of throughput and of CPU per request.
    let margin = design("margin = \"4%\"");
    let of = [Measure::Throughput, Measure::CpuPerRequest, Measure::ResponseP99].map(|of| margin.margin(of));
    assert_eq!(of, [0.04, 0.04, 0.10]);
}

#[test]
fn each_pace_has_its_number_of_pairs_unless_the_file_gives_it() {
    let pairs = |keys: &str| {
        let read = design(keys);
        (read.pacing, read.latency_pairs)
    };
    assert_eq!(pairs(""), (Pacing::Mixed, 6));
    assert_eq!(pairs("pace = \"in turn\""), (Pacing::InTurn, 20));
    assert_eq!(pairs("pace = \"together\""), (Pacing::Together, 20));
    assert_eq!(pairs("pace = \"mixed\""), (Pacing::Mixed, 6));
    assert_eq!(pairs("pace = \"together\"\nlatency_pairs = 4"), (Pacing::Together, 4));
    let text =
        "arms = [\"tomcat:9.0.95\", \"tomcat:10.1.29\", { name = \"third\", server = \"tomcat:9.0.95\" }]\n";
    let three = Experiment::parse(text, "f", &known()).expect("a valid file").design;
    assert_eq!((three.pacing, three.latency_pairs), (Pacing::InTurn, 20));
    let text = "arms = [\"tomcat:9.0.95\", \"tomcat:10.1.29\"]\n[design]\npace = \"togehter\"\n";
    let rejected = Experiment::parse(text, "f", &known());
    let told = rejected.expect_err("no such pace").render("f", text, false);
    assert!(told.contains("did you mean \"together\"?"), "{told}");
}

#[test]
fn few_pairs_have_longer_slices() {
    let lengths = |keys: &str| {
        let read = design(keys);
        [read.quick_slice(), read.quick_latency_slice()].map(|length| length.0 / 1_000_000)
    };
    assert_eq!(lengths(""), [120, 300]);
    assert_eq!(lengths("pairs = 40"), [120, 300]);
    assert_eq!(lengths("pairs = 8"), [295, 300]);
    assert_eq!(lengths("pairs = 2"), [520, 300]);
    assert_eq!(lengths("pairs = 2\nslice = \"300ms\"\nsettle = \"50ms\""), [350, 250]);
}
