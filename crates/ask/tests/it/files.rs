//! Experiment files as users write them, right and wrong: what is read, and what is said about a slip.

mod http;
mod seen;
mod slips;

use ask::arm::{Arm, Connector, JdkChoice, Threads, keys};
use ask::available::Available;
use ask::deployment::Namespace;
use ask::diagnostic::Rejected;
use ask::experiment::{CONNECTIONS, Experiment, LoadProfile, Profile};
use ask::headline::Headline;
use ask::load_machines::{AgentHost, AgentPlace, LoadMachines, OnLoss};
use ask::question::Question;
use ask::service::{Ready, Service};
use model::measure::Measure;
use model::units::{BitRate, Bytes, Cpus, Nanos, Rate};
use traffic::plan::Think;

fn known() -> Available {
    Available {
        built_in: vec![memcached()],
        rules: vec![("tomcat".to_owned(), toml::from_str(RULES).expect("rules"))],
        wars: vec![("jakarta.war".into(), Some(Namespace::Jakarta))],
        ..crate::known()
    }
}

fn memcached() -> Service {
    Service {
        name: "memcached".to_owned(),
        command: ["memcached", "-p", "{port}"].map(str::to_owned).into(),
        image: None,
        folder: None,
        ready: Ready::Tcp,
        user: Some("nobody".to_owned()),
        package: Some("memcached".to_owned()),
        stats: None,
        statements: None,
    }
}

/// What the versions of a server can do that is like Tomcat.
const RULES: &str = r#"
run = "[9,)"
deploys = true
[[rule]]
versions = "[9,10)"
namespace = "javax"
java = 8
can = ["nio", "nio2", "apr", "jsse", "openssl"]
source = "a changelog"
[[rule]]
versions = "[10,)"
namespace = "jakarta"
java = 11
can = ["nio", "nio2", "jsse", "openssl", "webapps-javaee"]
source = "a changelog"
[[rule]]
versions = "[10,)"
can = ["h2c", "h2"]
source = "the changelog of 10"
[[rule]]
versions = "[9.0.90,)"
can = ["openssl-ffm", "virtual-threads"]
source = "a changelog"
"#;

fn parsed(text: &str) -> Experiment {
    Experiment::parse(text, "file", &known()).expect("a valid file")
}

/// What is said about each of these files. Every one of the files is refused.
fn refused(texts: &[String]) -> String {
    let refuse = |text: &String| {
        let rejected = Experiment::parse(text, "file", &known()).expect_err(text);
        format!("{}\n\n", rejected.render("experiment.toml", text, false))
    };
    texts.iter().map(refuse).collect()
}

fn assert_stored(experiment: &Experiment) {
    let stored = serde_json::to_string(experiment).expect("stored");
    assert_eq!(serde_json::from_str::<Experiment>(&stored).expect("read"), *experiment);
}

const ARMS: &str = "arms = [\"tomcat:9.0.95\", \"tomcat:10.1.29\"]\n";

#[test]
fn a_full_file_is_read() {
    let text = r#"
name = "nio2"
question = "Is NIO2 faster?"
app = "hello"
path = "/hello"
arms = [
  { name = "a", server = "tomcat:9.0.95", heap = "1G", jdk = 17, threads = 50, accept_count = 10, port = 8080 },
  "tomcat:10.1.29,connector=nio2,threads=virtual",
]
[load]
connections = 4
[design]
baseline = "tomcat:10.1.29,connector=nio2,threads=virtual"
headline = "throughput"
starts = 12
pairs = 8
budget = "3m30s"
margin = { throughput = "3%" }
seed = 7
"#;
    let experiment = parsed(text);
    assert_eq!(experiment.arms[0].heap, Bytes(1 << 30));
    assert_eq!(experiment.arms[0].settings.threads, Some(Threads::Platform(50)));
    assert_eq!(experiment.arms[1].settings.threads, Some(Threads::Virtual));
    assert_eq!(experiment.arms[1].settings.connector, Some(Connector::Nio2));
    assert_eq!(experiment.design.baseline, 1);
    assert_eq!(experiment.design.budget, Some(Nanos::from_secs(210)));
    assert_eq!(experiment.design.margin(Measure::Throughput), 0.03);
    assert_eq!(experiment.design.margin(Measure::CpuPerRequest), 0.05);
    assert_eq!(experiment.workload.path, "/hello");
}

#[test]
fn surroundings_are_read() {
    let text = r#"
arms = [
  { name = "a", server = "tomcat:9.0.95", memory = "1024M", cpus = 0.5, services = ["cache"] },
  { name = "b", server = "tomcat:9.0.95", cpus = 2, environment = { LANG = "C", DEPTH = 3 } },
  { name = "c", server = "tomcat:10.1.29", services = ["memcached"] },
]
[service.cache]
command = ["./my-cache", "--listen", "{host}:{port}"]
ready = "line listening"
[service.redis-7]
command = ["redis-server", "--port", "{port}"]
ready = "http /health"
"#;
    let experiment = parsed(text);
    let [a, b, c] = [0, 1, 2].map(|arm| &experiment.arms[arm].surroundings);
    assert_eq!((a.limits.memory, a.limits.cpus), (Some(Bytes(1 << 30)), Some(Cpus(0.5))));
    assert_eq!((b.limits.memory, b.limits.cpus), (None, Some(Cpus(2.0))));
    assert_eq!(a.services, ["cache"]);
    assert_eq!(b.services, ["cache", "redis-7"], "all of the file");
    assert_eq!(c.services, ["memcached"], "it needs no description");
    assert_eq!(b.environment["DEPTH"], "3");
    let services: Vec<(&str, String, &Ready)> = experiment
        .services
        .iter()
        .map(|service| (service.name.as_str(), service.variable(), &service.ready))
        .collect();
    let expected = [
        ("cache", "CACHE_ADDRESS".to_owned(), &Ready::Line("listening".to_owned())),
        ("redis-7", "REDIS_7_ADDRESS".to_owned(), &Ready::Http("/health".to_owned())),
        ("memcached", "MEMCACHED_ADDRESS".to_owned(), &Ready::Tcp),
    ];
    assert_eq!(services, expected);
}

#[test]
fn slips_in_surroundings_show_their_place_and_what_to_do() {
    let arm = |keys: &str| format!("arms = [\"tomcat:9.0.95\", {{ server = \"tomcat:10.1.29\", {keys} }}]\n");
    let service = |keys: &str| format!("{ARMS}[service.cache]\n{keys}\n");
    let cases = [
        arm("memory = \"200M\""),
        arm("memory = \"1M\", heap = \"1G\""),
        arm("cpus = 0"),
        arm("cpus = \"half\""),
        arm("services = [\"memcache\"]"),
        arm("services = [\"redis\"]"),
        arm("environment = { LANG = true }"),
        arm("environment = { \"A=B\" = \"x\" }"),
        service("ready = \"tcp\""),
        service("command = [\"redis-server\"]"),
        service("command = []"),
        service("command = [\"x\", \"{port}\"]\nready = \"soon\""),
        service("command = [\"x\", \"{port}\"]\nredy = \"tcp\""),
        format!("{ARMS}service = \"memcached\"\n"),
        arm("open_files = 3"),
        format!("{ARMS}[link]\nrate = 45\n"),
        format!("{ARMS}[link]\nrate = \"45MB\"\n"),
        format!("{ARMS}[link]\nrate = \"1kbit\"\n"),
        format!("{ARMS}[link]\nlocal_ports = \"80-90\"\n"),
        format!("{ARMS}[link]\ndelay = \"20ms\"\n"),
        "arms = [\"tomcat:9.0.95\", { server = \"url\", url = \"http://127.0.0.1:80\" }]\n[link]\n"
            .to_owned(),
        format!("{ARMS}[machine]\ngenerator_cpus = \"3-1\"\n"),
        format!("{ARMS}[machine]\ngenerator_cpus = \"0-1\"\nserver_cpus = \"1\"\n"),
        format!("{ARMS}[machine]\nservers = \"1\"\n"),
        format!("{ARMS}[machine]\nserver_cpus = 1\n[load]\nshared_cpus = true\n"),
        "arms = [\"tomcat:9.0.95\", { server = \"url\", url = \"http://127.0.0.1:80\" }]\n[machine]\nserver_cpus = 1\n"
            .to_owned(),
    ];
    let shown = refused(&cases);
    insta::assert_snapshot!(shown);
}

#[test]
fn cpus_are_read_as_lists_or_single_numbers_and_stored() {
    let text = format!("{ARMS}[machine]\ngenerator_cpus = 0\nserver_cpus = \"2-3,5\"\n");
    let experiment = parsed(&text);
    assert_eq!(experiment.machine.generator, [0]);
    assert_eq!(experiment.machine.servers, [2, 3, 5]);
    assert_eq!(experiment.asked()["machine/server_cpus"], "2-3,5");
    assert_stored(&experiment);
    let plain = parsed(ARMS);
    assert!(!serde_json::to_string(&plain).expect("stored").contains("\"machine\""));
    assert!(!plain.is_same_question(&experiment));
}

#[test]
fn a_link_and_a_limit_of_open_files_are_read() {
    let text = "arms = [\"tomcat:9.0.95\", { server = \"tomcat:10.1.29\", open_files = 200 }]\n\
                [link]\nrate = \"45Mbit\"\nlocal_ports = \"40000-40099\"\n";
    let experiment = parsed(text);
    let link = experiment.link.as_ref().expect("a link");
    assert_eq!(link.rate, Some(BitRate(45_000_000)));
    assert_eq!(link.local_ports, Some(40_000..=40_099));
    assert_eq!(experiment.arms[1].surroundings.open_files, Some(200));
    assert_stored(&experiment);
    let plain = parsed(ARMS);
    assert!(plain.link.is_none() && !serde_json::to_string(&plain).expect("stored").contains("link"));
}

#[test]
fn commands_are_servers_too() {
    let text = r#"
arms = [
  { server = "command", command = ["./bin/serve", "--port", "{port}"], ready = { path = "/health", body = "ok" }, cpus = 1 },
  { name = "b", server = "command", command = ["serve", "{host}:{port}"], port = 8080 },
]
path = "/what/ever?x=1"
"#;
    let mut experiment = parsed(text);
    experiment.relative_to("/posts".as_ref());
    let [one, two] = [0, 1].map(|arm| experiment.arms[arm].command.clone().expect("a command"));
    assert_eq!(experiment.arms[0].name, "serve");
    assert_eq!(one.command, ["./bin/serve", "--port", "{port}"]);
    assert_eq!(one.folder.as_deref(), Some("/posts".as_ref()));
    assert_eq!((one.ready_path.as_deref(), one.ready_body.as_deref()), (Some("/health"), Some("ok")));
    assert_eq!((two.ready_path, two.ready_body), (None, None));
    assert_eq!(experiment.arms[0].heap, Bytes(0), "it is no JVM");
    assert_eq!(experiment.workload.path, "/what/ever?x=1");
}

#[test]
fn slips_in_commands_show_their_place_and_what_to_do() {
    let arm = |keys: &str| format!("arms = [\"tomcat:9.0.95\", {{ server = \"command\", {keys} }}]\n");
    let cases = [
        arm("name = \"b\""),
        arm("command = [\"serve\"]"),
        arm("command = \"serve {port}\""),
        arm("command = [\"serve\", \"{port}\"], threads = 5, heap = \"1G\""),
        arm("command = [\"serve\", \"{port}\"], ready = { path = \"health\" }"),
        arm("command = [\"serve\", \"{port}\"], ready = { url = \"/\" }"),
        "arms = [\"tomcat:9.0.95\", { server = \"url\" }]".to_owned(),
        "arms = [\"tomcat:9.0.95\", { server = \"url\", url = \"ftp://127.0.0.1\" }]".to_owned(),
        "arms = [\"tomcat:9.0.95\", { server = \"url\", url = \"https://127.0.0.1\", tls = \"jsse\" }]"
            .to_owned(),
        "arms = [\"tomcat:9.0.95\", \"http://127.0.0.1:8080/\"]".to_owned(),
        "arms = [\"tomcat:9.0.95\", { server = \"tomcat:10.1.29\", command = [\"serve\", \"{port}\"] }]"
            .to_owned(),
    ];
    let shown = refused(&cases);
    insta::assert_snapshot!(shown);
}

#[test]
fn an_unknown_key_of_an_arm_is_answered_with_all_that_there_are() {
    let text = "arms = [\"tomcat:9.0.95\", { server = \"url\", url = \"http://localhost\", quux = 1 }]";
    let shown = refused(&[text.to_owned()]);
    let known: Vec<&str> = keys::all().map(|key| key.name).collect();
    assert!(shown.starts_with("error: unknown key `quux` in an arm\n --> experiment.toml:1:70\n"), "{shown}");
    assert!(shown.contains(&format!("hint: an arm knows: {}\n", known.join(", "))), "{shown}");
}

#[test]
fn paths_are_those_of_the_files_folder() {
    let text = "arms = [{ name = \"a\", server = \"tomcat:9.0.95\", jdk = \"jdks/17\" }, \"tomcat:10.1.29,jdk=/jdk\"]";
    let mut experiment = parsed(text);
    experiment.relative_to("/posts".as_ref());
    let jdks: Vec<_> = experiment.arms.iter().map(|arm| arm.jdk.clone()).collect();
    let home = |path: &str| Some(JdkChoice::Home(path.into()));
    assert_eq!(jdks, [home("/posts/jdks/17"), home("/jdk")]);
}

#[test]
fn a_jdk_is_named_by_its_version_and_vendor() {
    let text = "arms = [\"tomcat:9.0.95,jdk=17.0.9\", \"tomcat:9.0.95,jdk=temurin-21\"]";
    let experiment = parsed(text);
    let stored = serde_json::to_value(&experiment.arms[1]).expect("JSON");
    assert_eq!(stored["jdk"], "temurin-21");
    let releases = experiment.arms.iter().map(|arm| arm.jdk.as_ref().and_then(JdkChoice::release));
    assert_eq!(releases.collect::<Vec<_>>(), [Some(17), Some(21)]);
    let read: Arm = serde_json::from_value(stored).expect("an arm");
    assert_eq!(read, experiment.arms[1]);
}

#[test]
fn two_lines_are_enough() {
    let experiment = Experiment::parse(ARMS, "short", &known()).expect("a valid file");
    assert_eq!(experiment.name, "short");
    assert_eq!(experiment.workload.path, "/json");
    assert_eq!(
        experiment.question,
        Question::both(
            "Which is faster for GET /json: tomcat:9.0.95 or tomcat:10.1.29?",
            "处理 GET /json 时，tomcat:9.0.95、tomcat:10.1.29 哪个更快？"
        )
    );
}

#[test]
fn a_question_is_asked_in_one_language_or_in_both_and_stored_as_a_string_beside_which_chinese_may_stand() {
    let asked = |question: &str| {
        let text = format!("question = {question}\n{ARMS}");
        parsed(&text)
    };
    let both = asked("{ en = \"Faster?\", zh = \"更快吗？\" }");
    assert_eq!(both.question, Question::both("Faster?", "更快吗？"));
    for (one, text) in [
        ("\"Faster?\"", "Faster?"),
        ("{ en = \"Faster?\" }", "Faster?"),
        ("{ zh = \"更快吗？\" }", "更快吗？"),
    ] {
        let experiment = asked(one);
        assert_eq!(experiment.question, Question::from(text));
        assert_eq!(experiment.question.text_in(say::Language::Zh), text);
        let stored = serde_json::to_value(&experiment).expect("JSON");
        assert_eq!((&stored["question"], stored.get("question_zh")), (&text.into(), None));
        assert_eq!(serde_json::from_value::<Experiment>(stored).expect("the same"), experiment);
    }
    let stored = serde_json::to_value(&both).expect("JSON");
    assert_eq!((&stored["question"], &stored["question_zh"]), (&"Faster?".into(), &"更快吗？".into()));
    assert_eq!(serde_json::from_value::<Experiment>(stored).expect("the same"), both);
}

#[test]
fn caps_gates_and_margins_are_read() {
    let design = |text: &str| {
        let text = format!("{ARMS}[design]\n{text}\n");
        parsed(&text).design
    };
    assert_eq!(design("").starts, Some(30));
    assert_eq!(design("until_sure = true").starts, None);
    assert_eq!(design("until_sure = false\nstarts = 20").starts, Some(20));
    let margin = design("headline = \"throughput\"\nmargin = \"4%\"");
    assert_eq!(margin.margin(Measure::Throughput), 0.04);
    let gate = design("gate = \"3%\"\nmargin = { throughput = \"4%\" }");
    assert_eq!((gate.gate, gate.margin(Measure::CpuPerRequest)), (Some(0.03), 0.03));
    assert_eq!(gate.margin(Measure::Throughput), 0.04);
    let cycles = ["", "startup_cycles = 2", "headline = \"startup\""].map(|text| design(text).startup_cycles);
    assert_eq!(cycles, [0, 2, 4]);
    let none = design("headline = \"startup\"\nstartup_cycles = 0");
    assert_eq!(none.startup_cycles, 0, "what the file says is kept");
}

#[test]
fn every_key_of_the_load_is_read_and_few_are_needed() {
    let load = |text: &str| {
        let text = format!("{ARMS}[load]\n{text}\n");
        parsed(&text).load
    };
    assert_eq!(load(""), LoadProfile::default());
    assert_eq!(load("connections = 4"), LoadProfile::of(4));
    assert_eq!(load("connections = [4, 100, 5000]").connections, [4, 100, 5000]);
    let all = load(
        "keepalive = false\nramp = \"1s\"\nthink = \"50ms-150ms\"\nconnect_rate = 200\nshards = 2\nshared_cpus = true\ntimeout = \"30s\"",
    );
    let millis = Nanos::from_millis;
    let expected = LoadProfile {
        connections: vec![CONNECTIONS],
        streams: 100,
        keepalive: false,
        ramp: Some(Nanos::from_secs(1)),
        think: Think::Uniform(millis(50), millis(150)),
        connect_rate: Some(Rate(200.0)),
        shards: 2,
        shared_cpus: true,
        timeout: Nanos::from_secs(30),
        allow: Vec::new(),
        machines: None,
    };
    assert_eq!(all, expected);
}

#[test]
fn a_fleet_is_read() {
    let machines = |fleet: &str| {
        let text = format!("arms = [\"tomcat:9.0.95\", \"tomcat:10.1.29\"]\n[fleet]\n{fleet}\n");
        parsed(&text).load.machines
    };
    let waiting =
        machines("nats = \"nats://10.0.0.1:4222\"\nagents = 3\ncreds = \"c.toml\"\non_loss = \"continue\"");
    let expected = LoadMachines {
        place: AgentPlace::Nats("nats://10.0.0.1:4222".to_owned()),
        agents: 3,
        creds: Some("c.toml".into()),
        listen: None,
        on_loss: OnLoss::Continue,
    };
    assert_eq!(waiting, Some(expected));
    let placed = machines("hosts = [\"local\", \"local\"]");
    let expected = LoadMachines::new(AgentPlace::Hosts(vec![AgentHost::Local; 2]), None);
    assert_eq!(placed.as_ref().map(|placed| placed.agents), Some(2));
    assert_eq!(placed, Some(expected));
}

#[test]
fn a_mix_takes_the_place_of_the_one_request() {
    let text = format!("{ARMS}[[request]]\npath = \"/json\"\nweight = 3\n[[request]]\npath = \"/hello\"\n");
    let experiment = parsed(&text);
    let mix = experiment.workload.mix.expect("a mix");
    assert_eq!((mix.asks.len(), mix.weights), (2, Some(vec![3, 1])));
}

#[test]
fn quick_is_the_full_profile_with_some_of_it_changed() {
    let text = r#"
arms = [
  { name = "a", server = "tomcat:9.0.95" },
  { name = "b", server = "tomcat:10.1.29" },
  { name = "c", server = "tomcat:10.1.29", threads = 5 },
]
[load]
connections = [100, 500, 1000]
keepalive = false
[design]
baseline = "b"
pairs = 8
slice = "5s"
seed = 7
[quick]
arms = ["c"]
budget = "5m"
load = { connections = [100] }
design = { pairs = 1, starts = 5 }
"#;
    let read = |profile| Experiment::parse_as(text, "file", &known(), profile).expect("a valid file");
    let (full, quick) = (read(Profile::Full), read(Profile::Quick));
    assert_eq!(full, parsed(text));
    assert_eq!((full.arms.len(), full.load.connections.len(), full.design.pairs), (3, 3, 8));
    let names: Vec<&str> = quick.arms.iter().map(|arm| arm.name.as_str()).collect();
    assert_eq!((names, quick.design.baseline), (vec!["b", "c"], 0), "the baseline stays");
    assert_eq!((&quick.load.connections[..], quick.load.keepalive), (&[100][..], false));
    let design = &quick.design;
    assert_eq!((design.pairs, design.starts, design.tune), (1, Some(5), false));
    assert_eq!((design.budget, design.slice), (Some(Nanos::from_secs(300)), Some(Nanos::from_secs(5))));
    assert_eq!((design.seed, quick.profile), (Some(7), Profile::Quick));
    let none = Experiment::parse_as(ARMS, "f", &known(), Profile::Quick).expect_err("no [quick]");
    assert!(none.diagnostics[0].message().contains("has no `[quick]`"));
}

#[test]
fn a_reference_holds_any_figures() {
    let text = format!(
        "{ARMS}[reference]\nsource = \"a post\"\n[[reference.rows]]\narm = \"tomcat\"\nlevel = 500\n\
         throughput = 192.76\nresponse_p99 = \"1011ms\"\nerrors = 3\n"
    );
    let experiment = parsed(&text);
    let reference = experiment.reference.expect("a reference");
    let row = &reference.rows[0];
    assert_eq!(
        (reference.source.as_deref(), row.arm.as_str(), row.level),
        (Some("a post"), "tomcat", Some(500))
    );
    let figures: Vec<(&str, f64)> = row.values.iter().map(|(id, value)| (id.as_str(), *value)).collect();
    assert_eq!(figures, [("errors", 3.0), ("response_p99", 1.011), ("throughput", 192.76)]);
}

#[test]
fn an_arm_of_the_command_line_is_the_arm_of_a_file() {
    let spec = "tomcat:10.1.29,connector=nio2,threads=virtual,jdk=21,name=x";
    let arm = Arm::from_command_line(spec, &known()).expect("a valid arm");
    assert_eq!(
        (arm.name.as_str(), arm.jdk, arm.settings.threads),
        ("x", Some(JdkChoice::Release(21)), Some(Threads::Virtual))
    );
    let text = format!("arms = [\"{spec}\", \"tomcat:9.0.95\"]");
    let file = parsed(&text);
    assert_eq!(file.arms[0].settings.threads, arm.settings.threads);
}

#[test]
fn of_a_server_elsewhere_nothing_is_asked_that_cannot_be_seen() {
    let arm = |url: &str| format!("{{ server = \"url\", url = \"{url}\" }}");
    let file = |one: &str, other: &str, more: &str| format!("arms = [{}, {}]\n{more}", arm(one), arm(other));
    let (here, green, blue) =
        ("http://127.0.0.1:8080", "https://green.example.com", "https://blue.example.com");
    let allow = "[load]\nallow = [\"green.example.com\"]\n";
    let there = parsed(&file(green, blue, allow));
    assert_eq!(there.arms[0].name, green);
    assert_eq!(there.load.allow, ["green.example.com"]);
    let compared = |experiment: &Experiment| -> Vec<Measure> {
        Measure::ALL.into_iter().filter(|measure| experiment.compares(1, *measure)).collect()
    };
    let outside = [Measure::Throughput, Measure::ResponseP50, Measure::ResponseP90, Measure::ResponseP99];
    assert_eq!(compared(&there), outside);
    assert_eq!(there.design.headline_measures(None), [Measure::Throughput, Measure::ResponseP99]);
    assert_eq!(there.inspected_arms().count(), 0);
    assert!(compared(&parsed(&file(here, "http://127.0.0.1:8081", ""))).contains(&Measure::CpuPerRequest));
    assert_eq!(compared(&parsed(&file(here, blue, ""))), outside, "one of two is enough");
    let gate = parsed(&file(green, blue, "[design]\ngate = \"5%\"\n"));
    assert_eq!(gate.design.headline, Headline::One(Measure::Throughput));
    let shown = refused(&[file(green, blue, "[require]\ncpu_per_request = \"< 1ms\"\n")]);
    assert!(shown.contains("another machine that prony did not start cannot be seen"), "{shown}");
}

#[test]
fn an_arm_that_cannot_be_read_is_one_mistake() {
    let text = "arms = [{ name = \"a\", server = \"url\", url = \"ftp://example.com\" }, \"tomcat:9.0.90\"]\npath = \"/other\"\n[design]\nbaseline = \"a\"\n";
    let rejected = Experiment::parse(text, "x", &known()).expect_err("a server elsewhere");
    assert_eq!(rejected.diagnostics.len(), 1, "{}", rejected.render("x.toml", text, false));
}

#[test]
fn of_many_mistakes_ten_are_drawn_and_the_others_counted() {
    let text = format!("{ARMS}{}", (0..30).map(|number| format!("key{number} = 1\n")).collect::<String>());
    let drawn = refused(&[text]);
    assert_eq!(drawn.matches("error: ").count(), 10, "{drawn}");
    assert!(drawn.contains("20 more like this: "), "{drawn}");
}

#[test]
fn every_slip_shows_its_place_and_what_to_do() {
    let mut shown = String::new();
    for (what, text) in slips::of_arms_and_load().into_iter().chain(slips::others()) {
        let rejected = Experiment::parse(&text, "file", &known()).expect_err(what);
        shown.push_str(&format!("=== {what}\n{}\n\n", rejected.render("experiment.toml", &text, false)));
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn what_a_release_cannot_do_shows_its_place_and_what_would_work() {
    let arms = [
        "{ server = \"tomcat:10.1.29\", connector = \"apr\" }",
        "{ server = \"tomcat:9.0.12\", threads = \"virtual\" }",
        "{ server = \"tomcat:10.1.29\", threads = \"virtual\", jdk = 17 }",
        "{ server = \"tomcat:10.1.29\", jdk = 8 }",
        "{ server = \"tomcat:10.1.29\", tls = \"openssl-ffm\", jdk = 21 }",
        "{ server = \"tomcat:9.0.12\", tls = \"openssl-ffm\" }",
        "{ server = \"tomcat:9.0.95\", connector = \"apr\", tls = \"jsse\" }",
        "{ server = \"tomcat:9.0.95\", tls = \"opnssl\" }",
        "{ server = \"tomcat:9.0.95\", jdk = \"seventeen\" }",
        "{ server = \"tomcat:9.0.95\", war = \"jakarta.war\" }",
        "{ server = \"tomcat:9.0.95\", migrate = \"before\" }",
        "{ server = \"tomcat:10.1.29\", war = \"jakarta.war\", migrate = \"webapps-javaee\" }",
    ];
    let cases = arms.map(|arm| format!("arms = [\n  \"tomcat:9.0.95,name=base\",\n  {arm},\n]"));
    let shown = refused(&cases);
    insta::assert_snapshot!(shown);
    let spec = "tomcat:10.1.29,tls=openssl-ffm,jdk=25,threads=virtual";
    Arm::from_command_line(spec, &known()).expect("possible");
}

#[test]
fn a_slip_in_an_arm_of_the_command_line_shows_its_place() {
    let spec = "tomcat:10.1.29,threads=vrtual";
    let diagnostics = Arm::from_command_line(spec, &known()).expect_err("a slip");
    insta::assert_snapshot!(Rejected { diagnostics }.render("argument", spec, false));
}
