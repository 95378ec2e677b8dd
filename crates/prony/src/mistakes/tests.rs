//! A slip of each family as a reader of Chinese sees it.

use super::Mistakes;
use ask::available::Available;
use ask::diagnostic::Rejected;
use ask::experiment::{Experiment, Profile};
use ask::kind::Kind;
use say::Language;

const ARMS: &str = "arms = [\"tomcat:9.0.95\", \"tomcat:10.1.29\"]\n";

/// One slip of each family, or a few where they are of many forms.
const SLIPS: &[(&str, &str)] = &[
    ("TOML", "question\n"),
    ("shape", "conections = 4\n"),
    ("shape", "[load]\nconnections = \"many\"\n"),
    ("shape", "[load]\ntimeout = \"1h\"\n"),
    ("shape", "[load]\nfind = \"capasity\"\n"),
    ("shape", "[reference]\nsource = \"a post\"\n"),
    ("quantity", "[design]\nbudget = \"soon\"\n"),
    ("name", "app = \"helo\"\n"),
    ("name", "[design]\nheadline = \"speed\"\n"),
    ("arm", "@{ server = \"tomcat:9.0.95\", heap = \"1M\" }"),
    ("service", "[service.cache]\ncommand = [\"redis-server\"]\n"),
    ("unfit", "@{ server = \"command\", command = [\"serve\", \"{port}\"], threads = 5 }"),
    ("unfit", "@{ server = \"tomcat:9.0.95\", properties = { a = 1 } }"),
    ("design", "[design]\npairs = 7\n"),
    ("design", "[load]\nfind = \"capacity\"\nobjective = \"response_p99 < 20ms\"\n"),
    ("design", "[tune]\n\"pool.size\" = { values = [8, 16] }\n"),
    ("fleet", "[fleet]\nnats = \"http://a\"\n"),
    ("fleet", "[fleet]\nhosts = [\"loca\"]\n"),
    ("fleet", "[fleet]\nagents = 3\n"),
    ("fleet", "[fleet]\nnats = \"nats://a\"\nhosts = [\"local\"]\n"),
    ("fleet", "[fleet]\nhosts = [\"local\"]\n[link]\nrate = \"1Gbit/s\"\n"),
    ("measure", "[design]\nheadline = \"max_rate\"\n"),
    ("requirement", "[require]\nresponse_p99 = \"> 20ms\"\n"),
    ("requirement", "[require]\nerrors = \"not slower than baseline\"\n"),
    ("request", "[[request]]\npath = \"cart\"\n"),
    ("request", "question = { en = \"\" }\n"),
    ("scenario", "[[scenario]]\n[[scenario.step]]\nget = \"/${id}\"\n"),
    ("scenario", "[[data]]\nfile = \"users.csv\"\n[[scenario]]\n[[scenario.step]]\nname = \"x\"\n"),
    ("scenario", "[load]\nfind = \"capacity\"\n[[scenario]]\n[[scenario.step]]\nget = \"/\"\n"),
];

fn known() -> Available {
    let texts = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    Available {
        servers: vec![("tomcat".to_owned(), texts(&["9.0.95", "10.1.29"]))],
        apps: vec![("hello".to_owned(), texts(&["/json"]))],
        kinds: vec![("tomcat".to_owned(), Kind::Tomcat)],
        ..Available::default()
    }
}

/// The text of a case as a file: an arm after an `@`, else what follows the arms.
fn file(case: &str) -> String {
    match case.strip_prefix('@') {
        Some(arm) => format!("arms = [\"tomcat:10.1.29\",\n{arm}]\n"),
        None => format!("{ARMS}{case}"),
    }
}

fn rejected(text: &str) -> Rejected {
    Experiment::parse_as(text, "f", &known(), Profile::Full).expect_err(text)
}

#[test]
fn a_slip_of_each_family_is_said_in_chinese() {
    let mut shown = String::new();
    for (family, case) in SLIPS {
        let text = file(case);
        let mistakes =
            Mistakes { rejected: rejected(&text), name: "实验.toml".to_owned(), text, colour: false };
        shown.push_str(&format!("=== {family}\n{}\n\n", say::text(&mistakes, Language::Zh)));
    }
    insta::assert_snapshot!(shown);
}
