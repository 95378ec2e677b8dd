//! `[require]` as users write it, right and wrong.

use crate::known;
use ask::experiment::{Experiment, Profile};
use ask::require::{Bound, Requirement};

const ARMS: &str = "arms = [\"tomcat:9.0.95\", \"tomcat:10.1.29\"]\n";

/// What a file with this `[require]` asks, and its gate.
fn required(text: &str) -> Result<(Vec<Requirement>, Option<f64>), String> {
    let text = format!("{ARMS}{text}");
    let experiment = Experiment::parse(&text, "e", &known());
    let experiment = experiment.map_err(|rejected| rejected.render("e.toml", &text, false))?;
    Ok((experiment.require, experiment.design.gate))
}

#[test]
fn requirements_are_read_in_the_unit_of_their_measure() {
    let (found, gate) = required(
        "[require]\nthroughput = [\"not slower than baseline\", \"> 10k\"]\nresponse_p99 = \"< 20ms\"\n\
         errors = \"<0.01%\"\npeak_memory = \"< 512M\"\nstartup = \"not worse than baseline by 8%\"\n\
         [require.\"tomcat:10.1.29\"]\ncpu_per_request = \"< 50us\"\n",
    )
    .expect("a valid file");
    let said: Vec<(&str, Bound)> = found.iter().map(|asked| (asked.subject.id(), asked.bound)).collect();
    let expected = [
        ("throughput", Bound::NotWorse(0.02)),
        ("throughput", Bound::Above(10_000.0)),
        ("response_p99", Bound::Below(0.02)),
        ("errors", Bound::Below(1e-4)),
        ("peak_memory", Bound::Below(536_870_912.0)),
        ("startup", Bound::NotWorse(0.08)),
        ("cpu_per_request", Bound::Below(50e-6)),
    ];
    assert_eq!(said.len(), expected.len());
    for ((id, bound), (expected_id, expected_bound)) in said.into_iter().zip(expected) {
        assert_eq!(id, expected_id);
        let close = match (bound, expected_bound) {
            (Bound::NotWorse(a), Bound::NotWorse(b))
            | (Bound::Below(a), Bound::Below(b))
            | (Bound::Above(a), Bound::Above(b)) => (a / b - 1.0).abs() < 1e-4,
            _ => false,
        };
        assert!(close, "{id}: {bound:?} instead of {expected_bound:?}");
    }
    assert_eq!(found[6].arm.as_deref(), Some("tomcat:10.1.29"));
    assert_eq!(gate, None);
}

#[test]
fn what_is_required_of_the_headline_against_the_baseline_is_the_gate() {
    let of = |text: &str| required(text).expect("a valid file");
    assert_eq!(
        of(
            "[design]\nheadline = \"cpu_per_request\"\n[require]\ncpu_per_request = \"not slower than baseline by 3%\""
        ),
        (vec![], Some(0.03))
    );
    assert_eq!(
        of(
            "[design]\nheadline = \"cpu_per_request\"\n[require]\ncpu_per_request = \"not slower than baseline\""
        ),
        (vec![], Some(0.02))
    );
    let own = "[design]\nheadline = \"throughput\"\nmargin = \"4%\"\n[require]\nthroughput = \"not slower than baseline\"";
    assert_eq!(of(own), (vec![], Some(0.04)));
    let of_arm = "[design]\nheadline = \"cpu_per_request\"\n[require.\"tomcat:10.1.29\"]\ncpu_per_request = \"not slower than baseline\"";
    assert_eq!(of(of_arm), (vec![], Some(0.02)), "there is no other arm");
    // Three measures have no gate: what is required of one of them is judged beside their verdicts.
    let (beside, gate) = of("[require]\ncpu_per_request = \"not slower than baseline by 3%\"");
    assert_eq!((beside.len(), gate), (1, None));
}

#[test]
fn a_slip_in_a_requirement_is_shown_where_it_stands() {
    for (text, parts) in [
        ("respons_p99 = \"< 20ms\"", ["e.toml:3:1", "did you mean `response_p99`?"]),
        ("response_p99 = \"< 20M\"", ["e.toml:3:16", "`20M` is not a duration"]),
        (
            "response_p99 = \"< 20\"",
            ["`20` has no unit", "response_p99 = \"not slower than baseline\" or \"< 20ms\""],
        ),
        ("response_p99.9 = \"< 1s\"", ["has to be in quotes", "\"response_p99.9\" = \"< 100ms\""]),
        ("response_p99 = \"> 20ms\"", ["less is better here", "hint: write response_p99 = \"< 20ms\""]),
        ("throughput = \"< 1000\"", ["more is better here", "hint: write throughput = \"> 1000/s\""]),
        ("errors = \"not slower than baseline\"", ["errors cannot be required", "errors = \"< 0.01%\""]),
        ("throughput = \"not slower than baseline of 3%\"", ["`of 3%` is not understood", "by 3%"]),
        ("throughput = \"fast\"", ["`fast` is no requirement", "^^^^^^"]),
        ("throughput = 1000", ["expected a string", "^^^^"]),
        (
            "[require.\"tomcat:10.1\"]\nthroughput = \"> 1\"",
            ["is no measure and no arm", "did you mean `tomcat:10.1.29`?"],
        ),
        (
            "[require.\"tomcat:9.0.95\"]\nthroughput = \"not slower than baseline\"",
            ["cannot be worse than itself", "^^^"],
        ),
        (
            "cpu_per_request = \"not slower than baseline\"\n[design]\ngate = \"2%\"",
            ["`gate` requires this already", "leave one"],
        ),
        (
            "response_p99 = \"< 1s\"\n[design]\nlatency_pairs = 0",
            ["there is no response p99", "leave `latency_pairs` out"],
        ),
    ] {
        let said = required(&format!("[require]\n{text}")).expect_err(text);
        for part in parts {
            assert!(said.contains(part), "`{part}` is missing in:\n{said}");
        }
    }
}

#[test]
fn the_quick_profile_asks_the_same_of_the_arms_it_keeps() {
    let text = "arms = [{ name = \"a\", server = \"tomcat:9.0.95\" }, { name = \"b\", server = \"tomcat:10.1.29\" }, { name = \"c\", server = \"tomcat:9.0.12\" }]\n\
        [design]\nheadline = \"cpu_per_request\"\n[require]\ncpu_per_request = \"not slower than baseline\"\nstartup = \"< 5s\"\n[require.c]\nstartup = \"< 4s\"\n\
        [quick]\narms = [\"b\"]\n[quick.design]\nstarts = 8\n";
    let quick = Experiment::parse_as(text, "e", &known(), Profile::Quick).expect("a valid file");
    assert_eq!((quick.require.len(), quick.design.gate, quick.design.starts), (1, Some(0.02), Some(8)));
    let full = Experiment::parse(text, "e", &known()).expect("a valid file");
    assert_eq!((full.require.len(), full.design.gate), (2, Some(0.02)));
}

/// Sessions of two kinds of users, both of whom pay.
const SHOP: &str = "[[scenario]]\nname = \"buyers\"\n[[scenario.step]]\nname = \"log in\"\nget = \"/hello\"\n[[scenario.step]]\nname = \"pay\"\nget = \"/json\"\n\
    [[scenario]]\nname = \"clerks\"\n[[scenario.step]]\nname = \"pay\"\nget = \"/json\"\n";

#[test]
fn steps_have_requirements_of_their_own() {
    let text = format!(
        "{SHOP}[design]\nheadline = \"throughput\"\n[require.step.pay]\nthroughput = [\"not slower than baseline by 3%\", \"> 10/s\"]\n\
         response_p99 = \"< 20ms\"\nerrors = \"< 1%\"\n[require.\"tomcat:9.0.95\".step.\"clerks: pay\"]\nresponse_p50 = \"< 5ms\"\n"
    );
    let (found, gate) = required(&text).expect("a valid file");
    let said: Vec<(Option<&str>, Option<&str>, &str)> =
        found.iter().map(|asked| (asked.arm.as_deref(), asked.step.as_deref(), asked.subject.id())).collect();
    let expected = [
        (None, Some("pay"), "throughput"),
        (None, Some("pay"), "throughput"),
        (None, Some("pay"), "response_p99"),
        (None, Some("pay"), "errors"),
        (Some("tomcat:9.0.95"), Some("clerks: pay"), "response_p50"),
    ];
    assert_eq!(said, expected);
    assert_eq!(gate, None, "a step is not the headline");
}

#[test]
fn a_slip_in_a_requirement_on_a_step_is_shown_where_it_stands() {
    let of_shop = |text: &str| required(&format!("{SHOP}{text}")).expect_err(text);
    for (text, parts) in [
        (
            "[require.step.paye]\nresponse_p99 = \"< 20ms\"",
            ["no step is called `paye`", "did you mean `pay`?"],
        ),
        (
            "[require.step.checkout]\nresponse_p99 = \"< 20ms\"",
            ["no step is called `checkout`", "steps: buyers: log in, buyers: pay, clerks: pay"],
        ),
        (
            "[require.step.pay]\ncpu_per_request = \"< 20us\"",
            [
                "`cpu_per_request` is not measured step by step",
                "measures: throughput, response_p50, response_p90, response_p95, response_p99, response_p99.9, errors",
            ],
        ),
        ("[require.step]\npay = \"< 20ms\"", ["a table", "^^^^"]),
    ] {
        let said = of_shop(text);
        for part in parts {
            assert!(said.contains(part), "`{part}` is missing in:\n{said}");
        }
    }
    let plain = required("[require.step.pay]\nresponse_p99 = \"< 20ms\"").expect_err("no steps");
    assert!(plain.contains("plays no scenario"), "{plain}");
}
