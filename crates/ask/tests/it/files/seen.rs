//! Servers that run already: how they are reached, and where they can be looked at.

use super::{parsed, refused};
use ask::experiment::Pacing;
use ask::observed::{FigureSource, Observed, ToldFigure};

#[test]
fn a_file_says_how_a_server_elsewhere_is_reached_and_where_it_can_be_looked_at() {
    let arm = |name: &str, more: &str| {
        format!("{{ name = \"{name}\", server = \"url\", url = \"https://shop.example\"{more} }}")
    };
    let file = |one: &str, other: &str| format!("arms = [{}, {}]\n", arm("one", one), arm("other", other));
    let here = ", network = { connect_to = \"shop.example:443:127.0.0.1:8443\", sni = \"shop\" }";
    let there =
        ", network = { proxy = \"http://me:secret@proxy:3128\" }, metrics = \"http://shop.example/metrics\"";
    let experiment = parsed(&file(here, there));
    let [one, other] = experiment.arms.as_slice() else { panic!("two arms") };
    assert_eq!(one.reached().map(|reached| reached.to_string()).as_deref(), Some("https://127.0.0.1:8443"));
    assert_eq!((one.is_unseen(), one.loaded_elsewhere()), (false, None), "its connections stay here");
    let shop = || "shop.example".to_owned();
    assert_eq!((other.is_unseen(), other.loaded_elsewhere()), (true, Some((shop(), shop()))));
    let page = other.observed.metrics.as_ref().and_then(FigureSource::url);
    assert_eq!(page.map(|url| url.path).as_deref(), Some("/metrics"));
    assert!(experiment.design.unseen);
    let stored = serde_json::to_string(&experiment.arms).expect("JSON");
    assert!(!stored.contains("secret"), "{stored}");
    // A process that is named can be seen, wherever the load goes.
    let named = parsed(&file(", pid = 4711", ", container = \"shop\""));
    assert!(!named.design.unseen && named.arms.iter().all(|arm| arm.loaded_elsewhere().is_some()));
    // So can one on a machine that ssh reaches; the host of the file is for the arms that are started there.
    let host = ", host = \"ssh://me@box\"";
    assert!(!parsed(&file(host, &format!("{host}, pid = 4711"))).design.unseen);
    let of_file = parsed(&format!("host = \"ssh://box\"\n{}", file("", "")));
    assert!(of_file.design.unseen && of_file.arms.iter().all(|arm| arm.host.is_none()));
    for (more, says) in [
        (", host = \"box:22\"", "no host"),
        (", network = { connect_to = \"here\" }", "not two hosts with their ports"),
        (", network = { proxi = \"env\" }", "proxi"),
        (", container = true", "expected a string"),
        (", pid = 0", "1 to"),
        (", metrics = \"/metrics\"", "not an HTTP address"),
        (", metrics = { prometheus = \"http://prom:9090\" }", "`select` or a query"),
        (", metrics = { prometheus = \"http://prom:9090\", select = \"shop\" }", "no selector"),
        (", metrics = { prometheus = \"http://prom:9090\", cpu = \"up\" }", "unknown key `cpu`"),
    ] {
        let shown = refused(&[file(more, "")]);
        assert!(shown.contains(says), "{shown}");
    }
    let started =
        refused(&["arms = [\"tomcat:9.0.95\", { server = \"tomcat:10.1.29\", pid = 1 }]\n".to_owned()]);
    assert!(started.contains("server = \"url\""), "{started}");
}

#[test]
fn sessions_are_short_where_no_arm_is_started() {
    let running = |name: &str, more: &str| {
        format!("{{ name = \"{name}\", server = \"url\", url = \"https://shop.example\"{more} }}")
    };
    let file = |one: &str, other: &str, keys: &str| format!("arms = [{one}, {other}]\n[design]\n{keys}\n");
    let slices = |text: String| {
        let design = parsed(&text).design;
        (design.pacing, [design.pairs, design.latency_pairs, design.windows_at_once()])
    };
    let (here, there) = (running("here", ", pid = 4711"), running("there", ""));
    let both_seen = |keys: &str| slices(file(&here, &running("too", ", pid = 4712"), keys));
    assert_eq!(both_seen(""), (Pacing::Mixed, [12, 6, 10]));
    assert_eq!(both_seen("pace = \"in turn\""), (Pacing::InTurn, [12, 10, 10]));
    assert_eq!(both_seen("pairs = 22\nlatency_pairs = 20"), (Pacing::Mixed, [22, 20, 20]));
    assert_eq!(slices(file(&here, &there, "")), (Pacing::InTurn, [12, 10, 10]), "no CPU is read of one");
    // A start of the other arm takes as long as ever.
    assert_eq!(slices(file("\"tomcat:10.1.29\"", &there, "")), (Pacing::InTurn, [22, 20, 20]));
    assert_eq!(slices(file("\"tomcat:10.1.29\"", &here, "")), (Pacing::Mixed, [22, 6, 20]));
    // A search has the slices that it always has.
    let search = format!("arms = [{here}, {there}]\n[load]\nfind = \"capacity\"\n");
    let search = parsed(&search).design;
    assert_eq!((search.pairs, search.in_sessions, search.unseen), (22, false, true));
}

#[test]
fn figures_are_on_a_page_or_at_a_prometheus_server() {
    let arm = |name: &str, metrics: &str| {
        format!(
            "{{ name = \"{name}\", server = \"url\", url = \"https://shop.example\", metrics = {metrics} }}"
        )
    };
    let page = arm("one", "\"http://shop.example/metrics\"");
    let collected =
        "{ prometheus = \"http://prom:9090\", select = '{pod=\"shop-0\",}', cpu_seconds = \"sum(cpu)\" }";
    let experiment = parsed(&format!("arms = [{page}, {}]\n", arm("other", collected)));
    let Some(FigureSource::Collected(figures)) = &experiment.arms[1].observed.metrics else {
        panic!("a table")
    };
    assert_eq!(
        (figures.prometheus.as_str(), figures.select.as_str()),
        ("http://prom:9090", "pod=\"shop-0\"")
    );
    assert_eq!(figures.queries[&ToldFigure::CpuSeconds], "sum(cpu)");
    for arm in &experiment.arms {
        let stored = serde_json::to_string(&arm.observed).expect("JSON");
        assert_eq!(serde_json::from_str::<Observed>(&stored).expect("read back"), arm.observed);
    }
    assert!(
        serde_json::to_string(&experiment.arms[0])
            .expect("JSON")
            .contains(r#""metrics":"http://shop.example/metrics""#)
    );
}
