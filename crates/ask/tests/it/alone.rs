//! Files with one arm, which ask what limits it, and settings of the application that trials may change.

use crate::known;
use ask::change::Change;
use ask::experiment::{CONNECTIONS, Experiment, Find, Headline, Profile, Steps};
use ask::tunable::{GivenBy, Tunable};
use model::measure::Measure;

const ONE: &str = "arms = [\"tomcat:9.0.95\"]\n";

fn parsed(text: &str) -> Experiment {
    Experiment::parse(text, "file", &known()).expect("a valid file")
}

#[test]
fn a_file_with_one_arm_climbs_to_its_number_of_users_in_one_start() {
    let one = parsed(&format!("{ONE}[load]\nconnections = 200\n"));
    assert_eq!(one.load.connections, [1, 3, 6, 12, 25, 50, 100, 200]);
    assert_eq!(one.design.find, Some(Find::Capacity(Steps::Given)));
    assert_eq!(one.design.headline, Headline::One(Measure::Capacity));
    assert_eq!((one.design.starts, one.design.pairs), (Some(1), 2));
    assert_eq!(one.question.text, "What limits tomcat:9.0.95 for GET /json?");
    assert_eq!(parsed(ONE).load.connections.last(), Some(&CONNECTIONS));
    // Two arms are compared as ever.
    let two = parsed("arms = [\"tomcat:9.0.95\", \"tomcat:10.1.29\"]\n");
    assert_eq!((two.design.find, two.load.connections), (None, vec![CONNECTIONS]));
}

#[test]
fn what_the_file_sets_of_one_arm_stays_as_it_is() {
    let levels = parsed(&format!("{ONE}[load]\nconnections = [10, 20]\n"));
    assert_eq!((levels.design.find, levels.load.connections), (None, vec![10, 20]));
    let design = parsed(&format!("{ONE}[design]\nstarts = 3\npairs = 8\n")).design;
    assert_eq!((design.starts, design.pairs), (Some(3), 8));
    let at_rate = parsed(&format!("{ONE}[design]\nlatency_rate = 500\n"));
    assert!(at_rate.design.find.is_none() && at_rate.design.latency_pairs > 0);
    let required = parsed(&format!("{ONE}[require]\nthroughput = \"> 100/s\"\n"));
    assert_eq!((required.design.find, required.require.len()), (None, 1));
    let few = parsed(&format!("{ONE}[load]\nconnections = 3\n"));
    assert_eq!((few.design.find, few.load.connections), (None, vec![1, 2, 3]));
    let quick = format!("{ONE}[quick]\nload = {{ connections = 64 }}\nbudget = \"1m\"\n");
    let quick = Experiment::parse_as(&quick, "file", &known(), Profile::Quick).expect("a valid file");
    assert_eq!(quick.load.connections, [1, 2, 4, 8, 16, 32, 64]);
}

#[test]
fn one_arm_alone_has_nothing_to_be_compared_with() {
    for compares in [
        "[design]\ngate = \"3%\"\n",
        "[design]\naa = true\n",
        "[require]\nthroughput = \"not slower than baseline\"\n",
    ] {
        let text = format!("{ONE}{compares}");
        let rejected = Experiment::parse(&text, "file", &known()).expect_err(compares);
        let shown = rejected.render("file", &text, false);
        assert!(shown.contains("one arm alone cannot be compared"), "{shown}");
    }
}

#[test]
fn settings_of_the_application_are_read_and_stored() {
    let text = format!(
        "{ONE}[tune]\n\"pool.size\" = {{ env = \"POOL\", values = [8, 16] }}\n\
         timeout = {{ property = \"shop.timeout\", values = [\"1s\", 2.5] }}\n"
    );
    let experiment = parsed(&text);
    let [pool, timeout] = experiment.tune.as_slice() else { panic!("{:?}", experiment.tune) };
    let expected = Tunable {
        name: "pool.size".to_owned(),
        given_by: GivenBy::Env("POOL".to_owned()),
        values: vec!["8".to_owned(), "16".to_owned()],
    };
    assert_eq!(*pool, expected);
    assert_eq!(timeout.values, ["1s", "2.5"]);
    let change = Change { key: "-Dshop.timeout".to_owned(), value: "1s".to_owned() };
    assert_eq!(timeout.change("1s"), change);
    let changed = experiment.arms[0].with(&[change]).expect("a JVM");
    assert_eq!(changed.jvm_options, ["-Dshop.timeout=1s"]);
    let stored = serde_json::to_string(&experiment).expect("stored");
    let read: Experiment = serde_json::from_str(&stored).expect("read");
    assert_eq!(read, experiment);
    assert!(!serde_json::to_string(&parsed(ONE)).expect("stored").contains("tune\":["));
}

#[test]
fn a_setting_that_no_arm_can_get_is_refused() {
    let refused = |arm: &str, by: &str| {
        let text = format!("arms = [{arm}]\n[tune]\npool = {{ {by} = \"POOL\", values = [8] }}\n");
        let read = Experiment::parse(&text, "file", &known());
        read.err().map(|rejected| rejected.render("file", &text, false))
    };
    let running = "{ server = \"url\", url = \"http://127.0.0.1:8080\" }";
    let own = "{ server = \"command\", command = [\"serve\", \"{port}\"] }";
    assert_eq!(refused(own, "env"), None);
    for (arm, by) in [(own, "property"), (running, "env"), (running, "property")] {
        let shown = refused(arm, by).expect("refused");
        assert!(shown.contains("no arm can get `pool`"), "{shown}");
    }
}
