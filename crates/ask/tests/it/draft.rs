//! From the text of a file to its experiment: what has to be found out on the way, and what is refused when it is known.

use ask::arm::draft::ArmDraft;
use ask::arm::{Arm, HttpVersion};
use ask::available::{Available, NewestOfLine};
use ask::build::{Build, Built};
use ask::deployment::Namespace;
use ask::experiment::{ArmDrafts, Draft, Experiment, Profile};
use ask::jar::{Boot, Embedded};
use std::path::{Path, PathBuf};
use traffic::scenario::{Program, UserGroup};

/// A server like Tomcat, whose lines have a newest version.
fn known() -> Available {
    let rules = "run = \"[9,)\"\ndeploys = true\n[[rule]]\nversions = \"[9,)\"\nnamespace = \"jakarta\"\n\
                 java = 11\ncan = [\"nio\"]\nsource = \"x\"\n\
                 [[rule]]\nversions = \"[9.0.90,)\"\ncan = [\"virtual-threads\"]\nsource = \"x\"\n";
    Available { rules: vec![("tomcat".to_owned(), toml::from_str(rules).expect("rules"))], ..crate::known() }
}

fn read(text: &str, known: &Available) -> (Experiment, ArmDrafts) {
    let draft = Draft::parse(text, "f").expect("TOML");
    draft.read(known, Profile::Full).unwrap_or_else(|wrong| panic!("{}", wrong.render("f", text, false)))
}

const SCENARIO: &str = r#"
arms = ["tomcat:9.0.95"]
[[data]]
file = "users.csv"
[[scenario]]
[[scenario.step]]
post = "/a"
body_file = "a.json"
[[scenario.step]]
group = "both"
[[scenario.step.step]]
post = "/b"
multipart = { photo = { file = "cat.png" }, note = "x" }
[[scenario.step.step]]
set = { file = "no-file" }
"#;

#[test]
fn a_file_names_what_its_scenarios_read_and_nothing_else() {
    let draft = Draft::parse(SCENARIO, "f").expect("TOML");
    let needs = draft.needs();
    assert_eq!(needs.files, ["users.csv", "a.json", "cat.png"].map(PathBuf::from));
    assert_eq!(needs.plan, None);
    let rejected = draft.read(&known(), Profile::Full).expect_err("nothing was read").diagnostics;
    assert_eq!(rejected.len(), needs.files.len(), "one for each file");
    let there = needs.files.into_iter().map(|file| (file, Ok(b"name\nann\n".to_vec())));
    let known = Available { files: there.collect(), ..known() };
    let (experiment, _) = draft.read(&known, Profile::Full).expect("all is there");
    let sessions = experiment.workload.sessions.expect("sessions");
    assert_eq!(sessions.data[0].name, "users.csv");
}

#[test]
fn a_plan_is_compiled_with_the_properties_of_the_file() {
    let text =
        "arms = [\"tomcat:9.0.95\"]\nworkload = { jmx = \"shop.jmx\", properties = { users = \"2\" } }\n";
    let draft = Draft::parse(text, "f").expect("TOML");
    let plan = draft.needs().plan.expect("a plan");
    assert_eq!((plan.file.as_path(), plan.properties["users"].as_str()), (Path::new("shop.jmx"), "2"));
    let program = Program { groups: vec![UserGroup::new("all", 1)], ..Program::default() };
    let compiled = Available { plan: Some(Ok(program)), ..known() };
    assert!(read(text, &compiled).0.workload.sessions.is_some());
    let refused = Available { plan: Some(Err("no thread group".to_owned())), ..known() };
    let rejected = draft.read(&refused, Profile::Full).expect_err("a plan that cannot run");
    assert!(rejected.render("f", text, false).contains("no thread group"));
}

#[test]
fn a_plan_over_http2_sets_the_version_unless_the_file_does() {
    let groups = vec![UserGroup::new("all", 1)];
    let program = Program { groups, http2: true, ..Program::default() };
    let known = Available { plan: Some(Ok(program)), ..known() };
    let version = |more: &str| {
        let text = format!(
            "arms = [{{ name = \"shop\", server = \"url\", url = \"http://shop.example\"{more} }}]\nworkload = {{ jmx = \"shop.jmx\" }}\n"
        );
        read(&text, &known).0.arms[0].settings.http
    };
    assert_eq!(version(""), Some(HttpVersion::Two));
    assert_eq!(version(", http = \"1.1\""), Some(HttpVersion::One));
}

const LINES: &str = "arms = [\n\"tomcat:9.0\",\n{ name = \"loom\", server = \"tomcat:9.0\", threads = \"virtual\" },\n\
                     \"tomcat:10.1.29\"]";

#[test]
fn the_newest_version_of_a_line_takes_its_place_unless_it_cannot_do_what_an_arm_asks() {
    let (mut experiment, drafts) = read(LINES, &known());
    let needs = known().needs(&experiment.arms);
    assert_eq!(needs.lines, [("tomcat".to_owned(), "9.0".to_owned())]);
    let newest = |version: &str| NewestOfLine {
        server: "tomcat".to_owned(),
        line: "9.0".to_owned(),
        version: version.to_owned(),
    };
    let told = Available { newest: vec![newest("9.0.99")], ..known() };
    drafts.resolve(&mut experiment.arms, &told).expect("it has virtual threads");
    let arm = |arm: &Arm| (arm.name.clone(), arm.version.clone());
    let pair = |name: &str, version: &str| (name.to_owned(), version.to_owned());
    let arms: Vec<_> = experiment.arms.iter().map(arm).collect();
    assert_eq!(
        arms,
        [pair("tomcat:9.0", "9.0.99"), pair("loom", "9.0.99"), pair("tomcat:10.1.29", "10.1.29")]
    );
    assert_eq!(told.needs(&experiment.arms).lines, []);
    let old = Available { newest: vec![newest("9.0.12")], ..known() };
    experiment.arms.remove(1);
    let rejected = drafts.resolve(&mut experiment.arms, &old).expect_err("it has no virtual threads");
    let shown = rejected.render("f", LINES, false);
    assert!(
        shown.contains("f:3:") && shown.contains("tomcat:9.0.12"),
        "also of an arm that does not run: {shown}"
    );
}

#[test]
fn what_is_built_is_looked_into_before_its_keys_are_refused() {
    let text = "arms = [\n{ server = \"jar\", jar = \"a.jar\", git = \"main\", threads = 5 },\n\
                { server = \"tomcat:9.0.95\", war = \"a.war\" }, { name = \"told\", server = \"tomcat:9.0.95\", \
                war = \"b.war\", namespace = \"jakarta\" }]";
    let (mut experiment, drafts) = read(text, &known());
    let mut facts = known();
    let needs = facts.needs(&experiment.arms);
    let [(build, asked)] = &needs.builds[..] else { panic!("{needs:?}") };
    assert_eq!(asked, Path::new("a.jar"));
    assert_eq!((needs.jars.as_slice(), needs.wars.as_slice()), (&[][..], &["a.war".into()][..]));
    let built = Built {
        folder: "/repo".into(),
        asked: asked.clone(),
        file: "/cache/a.jar".into(),
        command: "mvn".to_owned(),
        revision: None,
    };
    facts.built.push(Build { built: Some(built), ..build.clone() });
    drafts.resolve(&mut experiment.arms, &facts).expect("nobody has looked into it");
    let needs = facts.needs(&experiment.arms);
    assert_eq!((needs.builds.len(), &needs.jars[..]), (0, &["/cache/a.jar".into()][..]));
    facts.wars.push(("a.war".into(), Some(Namespace::Javax)));
    let boot = Boot { version: "4.0.1".to_owned(), embedded: Embedded::Tomcat };
    let with_jar = |boot| Available { jars: vec![("/cache/a.jar".into(), boot)], ..facts.clone() };
    drafts.resolve(&mut experiment.arms, &with_jar(Some(boot))).expect("Spring Boot has threads");
    let namespaces = experiment.arms.iter().map(|arm| arm.deployment.namespace);
    assert!(namespaces.eq([None, Some(Namespace::Javax), Some(Namespace::Jakarta)]));
    let rejected = drafts.resolve(&mut experiment.arms, &with_jar(None)).expect_err("no Spring Boot");
    assert!(rejected.render("f", text, false).contains("`threads` is for Spring Boot"));
}

#[test]
fn an_arm_of_the_command_line_is_resolved_like_one_of_a_file() {
    let draft = ArmDraft::from_parts(&["tomcat:9.0", "threads=virtual"], &known()).expect("possible");
    assert_eq!(draft.as_written().version, "9.0");
    let newest = |version: &str| Available {
        newest: vec![NewestOfLine {
            server: "tomcat".to_owned(),
            line: "9.0".to_owned(),
            version: version.to_owned(),
        }],
        ..known()
    };
    assert_eq!(draft.resolve(&newest("9.0.99")).expect("possible").version, "9.0.99");
    assert_eq!(draft.resolve(&newest("9.0.12")).expect_err("too old")[0].span, 19..26);
}
