//! Every form of one report, kept as golden files, so that no change of what users see goes unnoticed.

use ask::experiment::Headline;
use ask::reference::{Reference, ReferenceRow};
use ask::require::{Bound, Subject};
use model::load::Load;
use model::measure::Measure;
use model::reason::Reason;
use model::units::{Rate, Seconds, Share};
use record::note::{Note, Part, RunNote};
use record::outcome::{
    ArmResult, Calibration, Comparison, Counts, DesignFacts, Effective, Estimate, GateVerdict, Generator,
    Level, Limit, Ranking, Report, Required, SCHEMA, Verdict,
};
use record::remark::{Goal, Remark};
use record::series::Series;
use say::Language;

fn estimate(value: f64) -> Estimate {
    Estimate { value, low: Some(value * 0.97), high: Some(value * 1.03) }
}

fn arm(name: &str, server: &str, factor: f64) -> ArmResult {
    let values = [
        (Measure::Throughput, 31_000.0),
        (Measure::CpuPerRequest, 32e-6),
        (Measure::ResponseP50, 9e-4),
        (Measure::ResponseP99, 4e-3),
    ];
    let measures = values.map(|(measure, value)| (measure.into(), estimate(value * factor)));
    ArmResult {
        name: name.into(),
        unseen: false,
        effective: Effective {
            server: Some(server.into()),
            protocol_handler: Some("http-nio".into()),
            max_threads: Some(200),
            virtual_threads: None,
            max_connections: Some(Limit::At(8192)),
            accept_count: Some(100),
            tls: None,
            jdk: Some("17.0.15".into()),
            gc: Some("G1".into()),
            heap: None,
            ..Effective::default()
        },
        levels: vec![Level {
            load: Load { users: Some(32), ..Load::default() },
            valid: true,
            why_invalid: None,
            held_back: None,
            measures: measures.into(),
            table: Default::default(),
            not_estimable: Default::default(),
            worst: None,
            counts: Counts {
                requests: 1_000_002,
                ok: 1_000_000,
                faults: [("reset".to_owned(), 2)].into(),
                connects: 32,
                ..Counts::default()
            },
            generator: Generator { cpu: Share(0.31), lag_p99: Seconds(4.2e-5), ..Generator::default() },
            steps: Vec::new(),
            events: None,
        }],
        startup: Some(estimate(1.8 * factor)),
        peak_memory: Some(estimate(2.1e8 * factor)),
        facts: Default::default(),
        diagnoses: Vec::new(),
        request_times: Vec::new(),
        found: None,
        curve: Vec::new(),
    }
}

fn comparison(measure: Measure, ratio: f64, verdict: Verdict, remark: Option<Remark>) -> Comparison {
    Comparison {
        baseline: "tomcat-9".into(),
        arm: "tomcat-10.1".into(),
        level: Some(Load { users: Some(32), ..Load::default() }),
        measure,
        ratio: Some(Estimate { value: ratio, low: Some(ratio - 0.02), high: Some(ratio + 0.02) }),
        margin: measure.default_margin(),
        verdict,
        gate: None,
        starts: 3,
        per_start: vec![ratio, ratio - 0.01, ratio + 0.01],
        spread: None,
        equivalence: (verdict == Verdict::Same).then_some(Estimate {
            value: ratio,
            low: Some(ratio - 0.01),
            high: Some(ratio + 0.01),
        }),
        remarks: remark.into_iter().collect(),
    }
}

fn comparisons() -> Vec<Comparison> {
    vec![
        comparison(Measure::Throughput, 0.93, Verdict::Slower, None),
        comparison(Measure::CpuPerRequest, 1.05, Verdict::Costlier, None),
        comparison(
            Measure::ResponseP50,
            0.9999,
            Verdict::Same,
            Some(Remark::DifferenceWithinMargin { margin: 0.03 }),
        ),
        comparison(
            Measure::ResponseP99,
            1.02,
            Verdict::Inconclusive,
            Some(Remark::TooFewStarts { needed: 4, starts: 3 }),
        ),
        comparison(Measure::StartUp, 0.9, Verdict::Faster, None),
        comparison(
            Measure::PeakMemory,
            1.3,
            Verdict::Invalid,
            Some(Remark::Invalid(Reason::NoisyNeighbour { share: Share(0.12), limit: Share(0.1) })),
        ),
    ]
}

fn report() -> Report {
    Report {
        schema: SCHEMA,
        run: "2026-11-21T03:40:12Z-7f3a".into(),
        experiment: "first-run".into(),
        question: "Is Tomcat 10.1.29 faster than Tomcat 9.0.95 for a small <JSON> page?".into(),
        seed: 7,
        asked: Default::default(),
        fingerprint: [("cpus".to_owned(), "2".to_owned()), ("kernel".to_owned(), "6.18".to_owned())].into(),
        design: DesignFacts {
            baseline: "tomcat-9".into(),
            headline: Some(Headline::One(Measure::CpuPerRequest)),
            headline_measures: Vec::new(),
            alpha: 0.01,
            starts_cap: Some(12),
            gate: None,
            starts: 3,
            starts_void: 0,
            pairs: 8,
            stage_pairs: None,
            slice: Seconds(0.5),
            rate: None,
            profile: None,
            seconds_per_start: None,
            elapsed: Seconds(205.0),
            interrupted: false,
        },
        arms: vec![arm("tomcat-9", "Tomcat/9.0.95", 1.0), arm("tomcat-10.1", "Tomcat/10.1.29", 1.05)],
        comparisons: comparisons(),
        required: Vec::new(),
        answers: Vec::new(),
        ranking: None,
        rankings: Vec::new(),
        reference: None,
        calibration: None,
        cpu_differences: Vec::new(),
        step_comparisons: Vec::new(),
        offers_profile: false,
        notes: vec![Note::Run(RunNote::NotCounted {
            start: 2,
            part: Part::FixedRate,
            reason: Reason::UnloadedArmBusy { share: Share(0.04), limit: Share(0.02) },
        })],
        repeat: "prony run experiments/first-run.toml --seed 7".into(),
    }
}

#[test]
fn the_terminal_has_80_columns_and_colour_is_never_alone() {
    let plain = report::terminal::text(&report(), false, Language::En);
    for line in plain.lines() {
        assert!(line.chars().count() <= 80, "{} columns: {line}", line.chars().count());
    }
    let painted = report::terminal::text(&report(), true, Language::En);
    let stripped = ["\x1b[32m", "\x1b[31m", "\x1b[36m", "\x1b[33m", "\x1b[0m"]
        .iter()
        .fold(painted, |text, code| text.replace(code, ""));
    assert_eq!(stripped, plain);
    insta::assert_snapshot!(plain);
}

/// The columns that a line takes on a terminal.
fn columns(line: &str) -> usize {
    line.chars().map(|c| if c >= '\u{2e80}' { 2 } else { 1 }).sum()
}

#[test]
fn long_margins_and_chinese_names_fit_the_terminal_too() {
    let mut report = report();
    for arm in &mut report.arms[1..] {
        arm.name = "默认线程池与虚拟线程".into();
    }
    for comparison in &mut report.comparisons {
        comparison.arm = "默认线程池与虚拟线程".into();
        (comparison.margin, comparison.verdict) = (0.125, Verdict::Same);
    }
    for lang in [Language::En, Language::Zh] {
        for line in report::terminal::text(&report, false, lang).lines() {
            assert!(columns(line) <= 80, "{} columns: {line}", columns(line));
        }
    }
}

#[test]
fn the_settings_of_the_experiment_are_in_every_file() {
    let mut report = report();
    let asked = [("request", "GET /json"), ("load/keepalive", "false"), ("load/think", "0.2 s")];
    report.asked = asked.map(|(fact, value)| (fact.into(), value.into())).into();
    let terminal = report::terminal::text(&report, false, Language::En);
    let line = "GET /json, 32 connections, a connection for each request, think time 0.2 s";
    assert!(terminal.contains(line), "{terminal}");
    let markdown = report::markdown::text(&report, Language::En);
    assert!(markdown.contains("| load/think | 0.2 s |"), "{markdown}");
    let page = report::html::text(&report, &Series::default(), Language::Zh);
    assert!(page.contains("<td>0.2 s</td>"));
}

#[test]
fn markdown() {
    insta::assert_snapshot!(report::markdown::text(&report(), Language::En));
}

#[test]
fn picture() {
    let svg = report::plot::verdict(&report(), Language::En).file();
    assert!(svg.contains("&lt;JSON&gt;") && !svg.contains("NaN"));
    insta::assert_snapshot!(svg);
}

#[test]
fn report_json_keeps_the_contract() {
    insta::assert_snapshot!(report::json(&report()));
}

#[test]
fn report_json_has_sentences_with_codes_and_values() {
    let mut invalid = required();
    let stolen = Reason::NoisyNeighbour { share: Share(0.12), limit: Share(0.1) };
    let says = "noisy-neighbour: the hypervisor took 12 % of the CPU time (limit 10 %)";
    invalid.arms[1].levels[0].why_invalid = Some(stolen.clone());
    invalid.comparisons[0].remarks = vec![Remark::Invalid(stolen)];
    let printed: serde_json::Value = serde_json::from_str(&report::json(&invalid)).expect("JSON");
    let values = serde_json::json!({"share": 0.12, "limit": 0.1});
    let required = printed["required"].as_array().expect("a list");
    let invalid = required.iter().find(|one| one["why_invalid"].is_string());
    for place in [&printed["arms"][1]["levels"][0], invalid.expect("one of them")] {
        assert_eq!(place["why_invalid"], says);
        assert_eq!(place["why_invalid_code"], "noisy-neighbour");
        assert_eq!(place["why_invalid_values"], values);
    }
    let comparison = &printed["comparisons"][0];
    assert_eq!(comparison["remark"], says);
    assert_eq!(comparison["remarks_coded"][0]["code"], "invalid");
    assert_eq!(
        comparison["remarks_coded"][0]["values"],
        serde_json::json!({"code": "noisy-neighbour", "values": values})
    );
    let note = printed["notes"][0].as_str().expect("a sentence");
    assert!(note.starts_with("start 2 did not count at the fixed rate: "), "{note}");
    assert_eq!(printed["notes_coded"][0]["code"], "not-counted");
    assert_eq!(printed["notes_coded"][0]["values"]["start"], 2);
    let valid = &printed["arms"][0]["levels"][0];
    assert!(valid["why_invalid"].is_null() && valid.get("why_invalid_code").is_none());
}

/// The report as it is stored and read again.
fn stored(report: &Report) -> Report {
    let text = serde_json::to_string(report).expect("JSON");
    serde_json::from_str(&text).expect("our own JSON")
}

#[test]
fn before_the_first_start_there_are_dashes_and_no_panic() {
    let mut empty = report();
    for comparison in &mut empty.comparisons {
        comparison.ratio = None;
        comparison.per_start.clear();
        comparison.verdict = Verdict::Inconclusive;
    }
    for arm in &mut empty.arms {
        arm.levels.clear();
        arm.startup = None;
        arm.peak_memory = None;
    }
    let text = report::terminal::text(&empty, false, Language::En);
    assert!(text.contains('–') && text.contains("inconclusive"));
    let _ =
        (report::markdown::text(&empty, Language::En), report::plot::verdict(&empty, Language::En).file());
}

/// The names of test cases in a JUnit file.
fn case_names(junit: &str) -> Vec<&str> {
    let cases = junit.split("<testcase ").skip(1);
    cases.filter_map(|case| case.split("><").next()).collect()
}

#[test]
fn build_servers_are_told_in_chinese_and_know_a_case_by_one_name() {
    let mut bad = required();
    bad.design.interrupted = true;
    let [english, chinese] = [Language::En, Language::Zh].map(|lang| report::junit::text(&bad, lang));
    assert_eq!(case_names(&english), case_names(&chinese));
    for text in ["运行被提前结束", "实测：", "正确应答"] {
        assert!(chinese.contains(text), "{text}: {chinese}");
    }
    let annotations = report::annotations::github(&bad, Language::Zh);
    assert!(annotations.contains("::error title=未完成::运行被提前结束"), "{annotations}");
    assert!(annotations.contains("要求：") && !annotations.contains("required"), "{annotations}");
}

#[test]
fn junit_is_red_where_the_exit_code_is() {
    let text = report::junit::text(&report(), Language::En);
    // Only a comparison is invalid here, and no level, so nothing failed.
    assert!(text.contains("failures=\"0\" errors=\"0\""), "{text}");
    insta::assert_snapshot!(text);
    let mut bad = required();
    bad.arms[1].levels[0].why_invalid = Some(Reason::HostLost { host: "a > b\u{1b}".to_owned() });
    bad.design.interrupted = true;
    let text = report::junit::text(&bad, Language::En);
    assert!(text.contains("failures=\"2\" errors=\"2\" skipped=\"4\""), "{text}");
    assert!(
        text.contains("<failure type=\"regression\"") && text.contains("<failure type=\"threshold\""),
        "{text}"
    );
    assert!(text.contains("to a &gt; b was cut"), "{text}");
}

/// The report with a requirement for each possible result.
fn required() -> Report {
    let load = Load { users: Some(32), ..Load::default() };
    let of = |measure: Subject, bound: Bound, value: f64, verdict: GateVerdict| Required {
        arm: "tomcat-10.1".to_owned(),
        step: None,
        level: Some(load.clone()),
        measure,
        bound,
        estimate: Some(estimate(value)),
        verdict,
        why_invalid: None,
    };
    let mut invalid =
        of(Subject::Measure(Measure::StartUp), Bound::Below(3.0), 1.8, GateVerdict::Inconclusive);
    (invalid.level, invalid.why_invalid) =
        (None, Some(Reason::NoisyNeighbour { share: Share(0.12), limit: Share(0.1) }));
    let mut report = report();
    report.required = vec![
        of(Subject::Measure(Measure::CpuPerRequest), Bound::NotWorse(0.03), 1.06, GateVerdict::Fail),
        of(Subject::Measure(Measure::Throughput), Bound::Above(1000.0), 31_000.0, GateVerdict::Pass),
        of(Subject::Measure(Measure::ResponseP99), Bound::Below(0.02), 0.025, GateVerdict::Fail),
        of(Subject::Errors, Bound::Below(1e-4), 2e-6, GateVerdict::Inconclusive),
        invalid,
    ];
    report
}

#[test]
fn what_was_required_is_in_every_form() {
    let report = required();
    let terminal = report::terminal::text(&report, false, Language::En);
    assert!(terminal.lines().all(|line| line.chars().count() <= 80), "{terminal}");
    assert!(
        report::markdown::text(&report, Language::En).contains("| tomcat-10.1 | response p99 < 20.0 ms |")
    );
    let page = report::html::text(&report, &Series::default(), Language::Zh);
    assert!(page.contains("<td>响应时间 p99 &lt; 20.0 ms</td>") && page.contains("未通过"));
    let chinese = report::markdown::text(&report, Language::Zh);
    assert!(chinese.contains("| tomcat-10.1 | 每请求 CPU 不得比 tomcat-9 差 3 % 以上 |"), "{chinese}");
    let comment = report::comment::text(&report, Language::Zh);
    assert!(
        comment.contains("### ❌ 未通过：")
            && comment.contains("全部指标：")
            && !comment.contains("| difference |"),
        "{comment}"
    );
    insta::assert_snapshot!(terminal);
    insta::assert_snapshot!(report::comment::text(&report, Language::En));
    insta::assert_snapshot!(report::annotations::github(&report, Language::En));
    assert_eq!(stored(&report), report);
}

#[test]
fn a_gate_among_three_arms_on_a_calibrated_machine() {
    let mut gated = report();
    gated.design.gate = Some(0.03);
    gated.design.starts_cap = None;
    gated.arms.push(arm("jetty-12", "Jetty/12.0.9", 1.1));
    for (arm, gate) in [("tomcat-10.1", GateVerdict::Fail), ("jetty-12", GateVerdict::Pass)] {
        let mut head = comparison(Measure::CpuPerRequest, 1.06, Verdict::Costlier, None);
        head.arm = arm.to_owned();
        head.margin = 0.03;
        head.gate = Some(gate);
        if gate == GateVerdict::Pass {
            head.remarks =
                vec![Remark::LossWithinMargin { margin: 0.03 }, Remark::DecidedEarly { starts: 2, all: 3 }];
        }
        gated.comparisons.retain(|other| other.arm != arm || other.measure != head.measure);
        gated.comparisons.push(head);
    }
    let group = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    gated.ranking = Some(Ranking {
        measure: Measure::CpuPerRequest,
        level: None,
        groups: vec![group(&["tomcat-9"]), group(&["tomcat-10.1", "jetty-12"])],
    });
    gated.calibration =
        Some(Calibration { runs: 41, false_calls: 0, alpha: Some(0.01), upper: Share(0.0705) });
    let text = report::terminal::text(&gated, false, Language::En);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    for form in
        [report::markdown::text(&gated, Language::En), report::plot::verdict(&gated, Language::En).file()]
    {
        assert!(form.contains("0 false calls in 41") && form.contains("tomcat-10.1, jetty-12"));
    }
    insta::assert_snapshot!(text);
}

/// The report at two levels with response times at a rate, and with the figures of a post.
fn at_levels() -> Report {
    let users = |users| Load { users: Some(users), ..Load::default() };
    let rate = Load { rate: Some(Rate(8_200.0)), ..Load::default() };
    let mut report = report();
    report.design.profile = Some("quick".to_owned());
    for arm in &mut report.arms {
        let mut many = arm.levels[0].clone();
        many.load = users(1000);
        for estimate in many.measures.values_mut() {
            estimate.value *= 2.0;
        }
        let mut open = arm.levels[0].clone();
        open.load = rate.clone();
        arm.levels.extend([many, open]);
    }
    let mut comparisons = Vec::new();
    for mut comparison in report.comparisons.drain(..) {
        let measure = comparison.measure;
        comparison.level = match measure {
            Measure::StartUp | Measure::PeakMemory => None,
            _ if measure.by_level() => Some(users(32)),
            _ => Some(rate.clone()),
        };
        if measure.by_level() {
            let mut many = comparison.clone();
            (many.level, many.verdict) = (Some(users(1000)), Verdict::Inconclusive);
            many.remarks =
                vec![Remark::MoreTime { seconds: Seconds(540.0), goal: Goal::Detect { effect: 0.03 } }];
            comparisons.push(many);
        }
        comparisons.push(comparison);
    }
    report.comparisons = comparisons;
    report.rankings = vec![Ranking {
        measure: Measure::CpuPerRequest,
        level: Some(users(1000)),
        groups: vec![vec!["tomcat-9".to_owned()], vec!["tomcat-10.1".to_owned()]],
    }];
    report.reference = Some(reference());
    report
}

/// The figures of a post for some of the measures.
fn reference() -> Reference {
    let row = |arm: &str, level: Option<u64>, values: &[(&str, f64)]| ReferenceRow {
        arm: arm.to_owned(),
        level,
        needs: None,
        values: values.iter().map(|(id, value)| ((*id).to_owned(), *value)).collect(),
    };
    Reference {
        source: Some("a post about servers".to_owned()),
        note: None,
        open: Vec::new(),
        figures: Vec::new(),
        rows: vec![
            row("tomcat-9", Some(1000), &[("throughput", 947.68), ("errors", 0.0769)]),
            row("tomcat-10.1", None, &[("startup", 0.806), ("response_p99", 1.011)]),
            row("jetty", Some(32), &[("throughput", 94.19)]),
        ],
    }
}

#[test]
fn each_level_has_a_table_and_the_post_stands_beside_it() {
    let report = at_levels();
    let plain = report::terminal::text(&report, false, Language::En);
    assert!(plain.lines().all(|line| line.chars().count() <= 80), "{plain}");
    let mut early = report.clone();
    for comparison in &mut early.comparisons {
        if let Some(level) = comparison.level.as_mut() {
            level.rate = None;
        }
    }
    assert!(
        report::terminal::text(&early, false, Language::En).contains("\nat the fixed rate\nresponse p50")
    );
    let svg = report::plot::verdict(&report, Language::En).file();
    assert!(svg.contains("1000 connections: difference of tomcat-10.1") && !svg.contains("NaN"));
    assert_eq!(stored(&report), report);
    insta::assert_snapshot!(plain);
    insta::assert_snapshot!(report::markdown::text(&report, Language::En));
}
