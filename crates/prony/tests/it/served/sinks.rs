//! Sinks of a run: a real InfluxDB and a real Prometheus get its figures, and sinks that fail cost it nothing.

use crate::home::{Ended, Home, wait_for};
use crate::served::team::short_experiment;
use crate::shared::{Receiver, SECRETS, newest_run, outputs, told};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use store::Store;
use testkit::Asked;

/// A server of a package, which ends when this is dropped.
struct Daemon {
    process: Child,
    port: u16,
    _folder: tempfile::TempDir,
}

impl Daemon {
    fn start(program: &str, arguments: impl Fn(&Path, u16) -> Vec<String>, ready: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let port = free_port();
        let process = Command::new("setpriv")
            .args(["--pdeathsig", "KILL", program])
            .args(arguments(folder.path(), port))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the package is installed");
        wait_for(program, 60, || try_get(port, ready).is_some());
        Self { process, port, _folder: folder }
    }

    fn json(&self, path: &str) -> Value {
        let body = try_get(self.port, path).expect("an answer");
        serde_json::from_str(&body).expect("JSON")
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // A child that has ended already is no failure.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub(crate) fn free_port() -> u16 {
    let free = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
    free.expect("a port").port()
}

/// The body of a good answer.
fn try_get(port: u16, path: &str) -> Option<String> {
    let answer = try_ask(port, &format!("GET {path} HTTP/1.0\r\n\r\n"))?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    head.contains(" 20").then(|| body.to_owned())
}

fn try_ask(port: u16, request: &str) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}

fn influx() -> Daemon {
    let arguments = |folder: &Path, port: u16| {
        let at = |name: &str| folder.join(name).display().to_string();
        let config = format!(
            "reporting-disabled = true\nbind-address = \"127.0.0.1:{}\"\n[meta]\ndir = \"{}\"\n[data]\ndir = \"{}\"\nwal-dir = \"{}\"\n\
             [http]\nbind-address = \"127.0.0.1:{port}\"\n",
            free_port(),
            at("meta"),
            at("data"),
            at("wal")
        );
        std::fs::write(folder.join("influx.conf"), config).expect("a file");
        vec!["-config".to_owned(), at("influx.conf")]
    };
    let influx = Daemon::start("influxd", arguments, "/ping");
    let make = "POST /query?q=CREATE%20DATABASE%20perf HTTP/1.0\r\nContent-Length: 0\r\n\r\n";
    try_ask(influx.port, make).expect("made");
    influx
}

/// The dashboards for other programs.
fn dashboards() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/dashboards")
}

/// A Prometheus that also reads the page at this port, and has our console template. The templates of Prometheus within it are empty.
fn prometheus(page: u16) -> Daemon {
    let arguments = |folder: &Path, port: u16| {
        let config = folder.join("p.yml");
        let libraries = folder.join("libraries");
        let parts = [
            "head",
            "tail",
            "prom_right_table_head",
            "prom_right_table_tail",
            "prom_content_head",
            "prom_content_tail",
        ];
        let empty = parts.map(|name| format!("{{{{ define \"{name}\" }}}}{{{{ end }}}}"));
        std::fs::create_dir(&libraries).expect("a folder");
        std::fs::write(libraries.join("prom.lib"), empty.concat()).expect("a file");
        let job = format!(
            "scrape_configs: [{{job_name: prony, scrape_interval: 200ms, static_configs: [{{targets: ['127.0.0.1:{page}']}}]}}]\n"
        );
        std::fs::write(&config, job).expect("a file");
        vec![
            format!("--config.file={}", config.display()),
            format!("--storage.tsdb.path={}", folder.join("data").display()),
            format!("--web.listen-address=127.0.0.1:{port}"),
            "--web.enable-remote-write-receiver".to_owned(),
            format!("--web.console.templates={}", dashboards().display()),
            format!("--web.console.libraries={}", libraries.display()),
        ]
    };
    Daemon::start("prometheus", arguments, "/-/ready")
}

#[test]
fn sinks_get_the_figures_of_a_run_and_those_that_fail_cost_it_nothing() {
    let page = free_port();
    let (influx, prometheus) = (influx(), prometheus(page));
    // It accepts connections and never answers.
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let home = Home::with_fixture();
    let sinks = [
        format!("influx=http://127.0.0.1:{}/write?db=perf", influx.port),
        format!("prometheus=http://127.0.0.1:{}/api/v1/write", prometheus.port),
        format!("prometheus-scrape=127.0.0.1:{page}"),
        format!("otlp=http://{}/v1/metrics", silent.local_addr().expect("an address")),
        "influx=http://127.0.0.1:1/write?db=perf".to_owned(),
    ];
    let file = short_experiment(&home);
    let named = sinks.iter().flat_map(|sink| ["--sink", sink.as_str()]);
    let arguments: Vec<&str> = ["run", &file, "--seed", "7"].into_iter().chain(named).collect();
    let ended = home.run(&arguments);
    assert!(matches!(ended.code, Some(0 | 7)), "{:?} {}", ended.code, ended.stderr);
    let told = |sink: &str| told(&ended, sink);
    assert!(told("influx at http://127.0.0.1:1:").contains("were lost, it cannot be reached"));
    assert!(told("otlp").contains("were lost, it does not answer in time"));
    let slices = points(told(&format!("influx at http://127.0.0.1:{}", influx.port)));
    let written = format!("prometheus at http://127.0.0.1:{}", prometheus.port);
    let shown = format!("prometheus-scrape at 127.0.0.1:{page}");
    for sink in [&written, &shown] {
        assert_eq!(points(told(sink)), slices, "{sink}");
    }
    assert_influx_has(&influx, &ended, slices);
    assert_prometheus_has(&prometheus, &ended);
    assert_console_shows(&prometheus);
    assert_dashboard_shows(&prometheus, &newest_run(&home));
}

#[test]
fn every_other_format_has_the_figures_and_a_refusal_is_told_without_the_secret() {
    let outputs = outputs();
    let slices = points(outputs.told(&format!("influx at http://{}", outputs.influx.address)));
    let others = [
        "jtl in ".to_owned(),
        "statsd at ".to_owned(),
        format!("opensearch at http://{}", outputs.keeping.address),
    ];
    for sink in &others {
        assert_eq!(points(outputs.told(sink)), slices, "{sink}");
    }
    let refused = outputs.told(&format!("opensearch at http://{}", outputs.refusing.address));
    assert!(refused.contains("it answers 403: not with …"), "{refused}");
    assert!(!outputs.refusing.log.is_empty());
    let kept = &outputs.keeping.log;
    let authorized = |asked: &Asked| asked.header("Authorization") == format!("Bearer {}", SECRETS[0]);
    assert!(kept.len() > 1 && kept.iter().all(authorized), "{kept:?}");
    assert!(kept[0].line() == "PUT /_index_template/prony", "{kept:?}");
    assert!(outputs.gauges.starts_with("prony.slice.short.shop.users_2."), "{}", outputs.gauges);
    assert_jtl_has_requests(&outputs.jtl);
}

/// The points of a line about a sink that lost none.
fn points(line: &str) -> u64 {
    let count = line.strip_suffix(" points").and_then(|line| line.rsplit(' ').next());
    count.and_then(|count| count.parse().ok()).unwrap_or_else(|| panic!("{line}"))
}

fn assert_influx_has(influx: &Daemon, ended: &Ended, slices: u64) {
    let query = "/query?db=perf&q=SELECT%20count(throughput),min(throughput),max(time_p99_seconds)%20FROM%20prony_slice%20GROUP%20BY%20arm,experiment";
    let answer = influx.json(query);
    let series = &answer["results"][0]["series"][0];
    assert_eq!(
        series["tags"],
        serde_json::json!({"arm": "shop", "experiment": "short"}),
        "{answer} {}",
        ended.stderr
    );
    let values = &series["values"][0];
    assert!(slices > 3 && values[1] == slices, "{slices} points were sent: {answer}");
    assert!(values[2].as_f64() > Some(0.0) && values[3].as_f64() > Some(0.0), "{answer}");
}

/// The figures are there twice: once written by prony, once read from its page.
fn assert_prometheus_has(prometheus: &Daemon, ended: &Ended) {
    for matcher in ["job=%22%22", "job=%22prony%22"] {
        let query = format!("max_over_time(prony_slice_throughput%7B{matcher}%7D[10m])");
        let answer = prometheus.json(&format!("/api/v1/query?query={query}"));
        let series = &answer["data"]["result"][0];
        assert_eq!(series["metric"]["arm"], "shop", "{matcher}: {answer} {}", ended.stderr);
        assert_eq!(series["metric"]["load"], "users=2", "{answer}");
        let value = series["value"][1].as_str().and_then(|value| value.parse::<f64>().ok());
        assert!(value > Some(0.0), "{answer}");
    }
}

/// Prometheus fills in the template of its console, which finds the experiment by itself.
fn assert_console_shows(prometheus: &Daemon) {
    let page = try_get(prometheus.port, "/consoles/prometheus-console.html").expect("a page");
    assert!(
        page.contains("<h1>short</h1>") && page.contains("Verdicts of no run"),
        "a run of one arm has no verdicts: {page}"
    );
}

/// Asks Prometheus everything that the dashboard for Grafana asks.
fn assert_dashboard_shows(prometheus: &Daemon, run: &str) {
    let text = std::fs::read_to_string(dashboards().join("grafana.json")).expect("the dashboard");
    let dashboard: Value = serde_json::from_str(&text).expect("JSON");
    let encoded = |query: &str| {
        let chosen = [("$experiment", "short"), ("$run", run), ("$__interval", "10m"), ("$__range", "10m")];
        let query = chosen.iter().fold(query.to_owned(), |query, (name, value)| query.replace(name, value));
        query.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>()
    };
    let panels = dashboard["panels"].as_array().expect("panels");
    let mut shown = 0;
    for query in panels.iter().filter_map(|panel| panel["targets"][0]["expr"].as_str()) {
        let answer = prometheus.json(&format!("/api/v1/query?query={}", encoded(query)));
        let found = answer["data"]["result"].as_array().map_or(0, Vec::len);
        // A run of one arm has no verdicts.
        let expected = !query.contains("prony_verdict");
        assert!(answer["status"] == "success" && (found > 0) == expected, "{query}: {answer}");
        shown += usize::from(expected);
    }
    assert!(shown > 3, "{shown} of {}", panels.len());
    let variables = dashboard["templating"]["list"].as_array().expect("variables");
    for values in variables.iter().filter_map(|variable| variable["definition"].as_str()) {
        let inner = values.strip_prefix("label_values(").and_then(|rest| rest.strip_suffix(')'));
        let (series, label) = inner.and_then(|inner| inner.rsplit_once(", ")).expect("label_values");
        let path = format!("/api/v1/label/{label}/values?match%5B%5D={}", encoded(series));
        let expected = if label == "run" { run } else { "short" };
        assert_eq!(prometheus.json(&path)["data"], serde_json::json!([expected]), "{values}");
    }
}

/// Every line of the file has the columns of its head, which are JMeter's.
fn assert_jtl_has_requests(text: &str) {
    let mut lines = text.lines();
    let head = lines.next().expect("a head");
    assert!(head.starts_with("timeStamp,elapsed,label,"), "{head}");
    let columns = head.split(',').count();
    let requests: Vec<&str> = lines.collect();
    assert!(requests.len() > 10, "{text}");
    for request in requests {
        // The label has a comma, in quotes.
        assert!(request.contains("\"shop, 2 connections"), "{request}");
        assert_eq!(request.split(',').count(), columns + 1, "{request}");
    }
}

#[test]
fn a_sink_with_a_mistake_is_refused_before_anything_runs() {
    let home = Home::empty();
    let file = short_experiment(&home);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let taken = listener.local_addr().expect("an address").port();
    for (sink, words) in [
        ("kafka=http://127.0.0.1/", "a sink is FORMAT=ADDRESS"),
        ("influx=http://nina:marked-secret@127.0.0.1/", "a user or a password in it"),
        ("prometheus-scrape=127.0.0.1:PORT", "the figures cannot be shown at 127.0.0.1:"),
    ] {
        let sink = sink.replace("PORT", &taken.to_string());
        let ended = home.run(&["run", &file, "--sink", &sink]);
        assert_eq!(ended.code, Some(2), "{}", ended.stderr);
        assert!(ended.stderr.contains(words) && ended.stderr.contains("hint: "), "{}", ended.stderr);
        assert!(!ended.stderr.contains("marked-secret"), "{}", ended.stderr);
    }
    let token = home.file("token", "Bearer marked-secret\n");
    std::fs::set_permissions(token, PermissionsExt::from_mode(0o644)).expect("permissions");
    home.file("config.toml", "[[sink]]\nto = \"influx=http://127.0.0.1/\"\nauthorization_file = \"token\"\n");
    let ended = home.run(&["run", &file]);
    assert!(ended.code == Some(2) && ended.stderr.contains("can be read by others"), "{}", ended.stderr);
}

/// Returns an attribute of a span.
fn attribute<'a>(span: &'a Value, name: &str) -> &'a Value {
    let all = span["attributes"].as_array().expect("attributes");
    let found = all.iter().find(|one| one["key"] == name);
    let value = &found.unwrap_or_else(|| panic!("{name} in {span}"))["value"];
    let values = value.as_object().and_then(|value| value.values().next());
    values.expect("a value")
}

/// A time of a span, nanoseconds since the epoch.
fn time(span: &Value, name: &str) -> u64 {
    let text = span[name].as_str();
    text.and_then(|text| text.parse().ok()).expect("a time")
}

/// Asserts that every span is within the span that it names, and that only the run is within no other span.
fn assert_spans_nest(spans: &[Value]) {
    for span in spans {
        assert_eq!(span["traceId"], spans[0]["traceId"]);
        let parent = spans.iter().find(|other| other["spanId"] == span["parentSpanId"]);
        let Some(parent) = parent else {
            assert!(span["name"].as_str().is_some_and(|name| name.starts_with("run ")), "{span}");
            continue;
        };
        let begins = [parent, span].map(|span| time(span, "startTimeUnixNano"));
        let ends = [span, parent].map(|span| time(span, "endTimeUnixNano"));
        assert!(begins.is_sorted() && ends.is_sorted(), "{span} is not within {parent}");
    }
}

#[test]
fn a_run_is_a_trace_and_a_server_without_traces_loses_nothing() {
    let outputs = outputs();
    let points_of = |format: &str, server: &Receiver| {
        points(outputs.told(&format!("{format} at http://{}", server.address)))
    };
    for server in [&outputs.traces, &outputs.no_traces] {
        // The trace is a point, too.
        assert_eq!(points_of("otlp", server), points_of("influx", &outputs.influx) + 1);
    }
    let log = &outputs.traces.log;
    let sent: Vec<Value> = log
        .iter()
        .filter(|asked| asked.path == "/otlp/v1/traces")
        .map(|asked| serde_json::from_str(&asked.body).expect("JSON"))
        .collect();
    let [trace] = sent.as_slice() else { panic!("{} traces", sent.len()) };
    let spans = trace["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().expect("spans");
    assert_spans_nest(spans);
    let named = |begin: &str| -> Vec<&Value> {
        let is_named = |span: &&Value| span["name"].as_str().is_some_and(|name| name.starts_with(begin));
        spans.iter().filter(is_named).collect()
    };
    let counts = ["run ", "round ", "start of shop", "load "].map(|name| named(name).len());
    let store = Store::open(&outputs.stored.home().data());
    let rounds = store.and_then(|store| store.rounds(&outputs.stored.run)).expect("the history");
    assert_eq!(counts[..3], [1, rounds.0.len(), rounds.0.len()]);
    assert!(counts[1] >= 1 && counts[2] <= counts[3], "{counts:?}");
    assert_eq!(spans.len(), counts.iter().sum::<usize>());
    let ids: BTreeSet<&str> = spans.iter().filter_map(|span| span["spanId"].as_str()).collect();
    assert!(ids.len() == spans.len() && ids.iter().all(|id| id.len() == 16), "{ids:?}");
    assert!(attribute(named("load ")[0], "prony.ok").as_f64() > Some(0.0));
    assert!(attribute(named("start of shop")[0], "prony.startup_seconds").as_f64() > Some(0.0));
    assert_eq!(attribute(named("run ")[0], "prony.run"), outputs.stored.run.as_str());
}
