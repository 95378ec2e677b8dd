//! A slip of each family as a reader of Chinese sees it, and that both languages say something of each.

use super::{CHINESE, Mistakes};
use model::available::Available;
use model::diagnostic::Rejected;
use model::experiment::{Experiment, Profile};
use model::kind::Kind;
use model::mix::Mix;
use report::Lang;

const ARMS: &str = "arms = [\"tomcat:9.0.95\", \"tomcat:10.1.29\"]\n";

/// One slip of each family, or a few where they are of many forms.
const SLIPS: [(&str, &str); 24] = [
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
    (
        "unfit",
        "@{ server = \"command\", command = [\"serve\", \"{port}\"], threads = 5 }",
    ),
    ("unfit", "@{ server = \"tomcat:9.0.95\", properties = { a = 1 } }"),
    ("design", "[design]\npairs = 7\n"),
    (
        "design",
        "[load]\nfind = \"capacity\"\nobjective = \"response_p99 < 20ms\"\n",
    ),
    ("design", "[tune]\n\"pool.size\" = { values = [8, 16] }\n"),
    ("measure", "[design]\nheadline = \"max_rate\"\n"),
    ("requirement", "[require]\nresponse_p99 = \"> 20ms\"\n"),
    (
        "requirement",
        "[require]\nerrors = \"not slower than baseline\"\n",
    ),
    ("request", "[[request]]\npath = \"cart\"\n"),
    ("request", "question = { en = \"\" }\n"),
    ("scenario", "[[scenario]]\n[[scenario.step]]\nget = \"/${id}\"\n"),
    (
        "scenario",
        "[[data]]\nfile = \"users.csv\"\n[[scenario]]\n[[scenario.step]]\nname = \"x\"\n",
    ),
    (
        "scenario",
        "[load]\nfind = \"capacity\"\n[[scenario]]\n[[scenario.step]]\nget = \"/\"\n",
    ),
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
        let mistakes = Mistakes {
            rejected: rejected(&text),
            name: "实验.toml".to_owned(),
            text,
            colour: false,
        };
        shown.push_str(&format!("=== {family}\n{}\n\n", mistakes.drawn(Lang::Zh)));
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn messages_and_hints_are_translated() {
    let ideographs = |text: &str| text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    let mixes = ["", "[[request]]\nmethod = \"G T\"\n", "requests = []\n"];
    let mixes = mixes.map(|text| Mix::parse(text).expect_err(text));
    let files = SLIPS.map(|(_, case)| rejected(&file(case)));
    for diagnostic in mixes
        .iter()
        .chain(&files)
        .flat_map(|rejected| &rejected.diagnostics)
    {
        let (english, chinese) = (diagnostic.message(), (CHINESE.message)(diagnostic));
        assert!(!ideographs(&english) && ideographs(&chinese), "{chinese}");
        let hint = diagnostic.hint.as_ref();
        let hints = hint.map(|hint| (hint.to_string(), (CHINESE.hint_text)(hint)));
        if let Some((english, chinese)) = hints {
            assert!(!ideographs(&english) && ideographs(&chinese), "{chinese}");
        }
    }
}
