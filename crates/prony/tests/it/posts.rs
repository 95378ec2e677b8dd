//! The experiments of the repository: all of them can be parsed, and the question that post E left open is answered.

use crate::causes::{causes, machine_is_busy};
use crate::goldens;
use crate::home::Home;
use crate::real::alone;
use model::experiment::{Experiment, Profile};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// The experiment of each post.
const POSTS: [&str; 5] = [
    "tomcat-versions",
    "standalone-vs-embedded",
    "nio-vs-apr",
    "crud-memcached",
    "virtual-threads",
];

fn experiments() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments")
}

/// Copies the file of a post so that the servers are not looked into after the last start: what the answers rest on is seen while the
/// load counts. Returns the path of the copy.
pub(crate) fn without_a_look(home: &Home, post: &str) -> String {
    let read = |ending: &str| {
        let path = experiments().join(format!("posts/{post}.{ending}"));
        fs::read_to_string(path).expect("a file of the post")
    };
    home.file(&format!("{post}.lock"), &read("lock"));
    home.file(
        &format!("{post}.toml"),
        &format!("explain = \"off\"\n{}", read("toml")),
    )
}

/// Parses the files of a folder in these profiles.
fn files(folder: &Path, profiles: &[Profile]) -> Vec<Experiment> {
    let known = lab::Bench::known();
    let mut read = Vec::new();
    for entry in fs::read_dir(folder).expect("experiments") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|end| end != "toml") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a file");
        for profile in profiles {
            let experiment = Experiment::parse_as(&text, "x", &known, *profile);
            read.push(experiment.unwrap_or_else(|problem| panic!("{}: {problem:?}", path.display())));
        }
    }
    read
}

#[test]
fn every_experiment_can_be_parsed_and_every_post_has_a_quick_profile_and_figures() {
    assert!(!files(&experiments(), &[Profile::Full]).is_empty());
    let both = [Profile::Full, Profile::Quick];
    assert!(!files(&experiments().join("calibration"), &both).is_empty());
    let posts = files(&experiments().join("posts"), &both);
    for name in POSTS {
        let of_post = posts.iter().filter(|post| post.name == name);
        assert_eq!(of_post.count(), both.len(), "{name}");
    }
    for post in posts {
        let reference = post.reference.as_ref();
        assert!(
            reference.is_some_and(|reference| !reference.rows.is_empty()),
            "{}",
            post.name
        );
        let budget = post.design.budget.expect("a budget").as_secs_f64();
        assert!(
            post.profile == Profile::Full || budget <= 720.0,
            "{}: {budget} s, and the guide promises at most twelve minutes",
            post.name
        );
    }
}

/// One start of each arm is enough, because requests take a second.
#[test]
fn virtual_threads_exceed_200_requests_a_second_and_on_jetty_only_without_its_limit() {
    let _alone = alone();
    let home = Home::with_downloads();
    let file = without_a_look(&home, "virtual-threads");
    let ended = home.run(&["run", &file, "--quick", "--budget", "1s", "--json"]);
    assert!(
        matches!(ended.code, Some(0 | 7)),
        "{:?}\n{}",
        ended.code,
        ended.stderr
    );
    let report: Value = serde_json::from_str(&ended.stdout).expect("report.json");
    let arm = |name: &str| {
        let arms = report["arms"].as_array().expect("arms");
        arms.iter()
            .find(|arm| arm["name"] == name)
            .expect("an arm of this name")
            .clone()
    };
    let throughput = |name: &str| {
        let value = &arm(name)["levels"][0]["measures"]["throughput"]["value"];
        value
            .as_f64()
            .unwrap_or_else(|| panic!("{name}: {value}\n{}", ended.stderr))
    };
    // On a busy machine it may be that the start does not count.
    if report["design"]["starts"] == 1 {
        for limited in ["tomcat", "jetty-virtual"] {
            assert!(
                (120.0..240.0).contains(&throughput(limited)),
                "{limited}: {}",
                throughput(limited)
            );
        }
        for free in ["tomcat-virtual", "jetty-virtual-lifted"] {
            assert!(throughput(free) > 300.0, "{free}: {}", throughput(free));
        }
    }
    // Diagnoses are made even if the start does not count.
    if !machine_is_busy(&report) {
        let named = ["tomcat", "jetty-virtual"].map(|name| causes(&report, name)[0].clone());
        assert_eq!(named, ["thread-pool-limit", "concurrency-limit-default"]);
        let free = ["tomcat-virtual", "jetty-virtual-lifted"].map(|name| causes(&report, name));
        // 500 users at once are more than the accept queue of Tomcat holds, so this may be diagnosed before the measured part.
        let mut free = free.into_iter().flatten();
        assert_eq!(free.find(|cause| cause != "accept-queue-overflow"), None);
    }
    assert_eq!(arm("tomcat")["effective"]["max_threads"], 200);
    assert_eq!(arm("jetty-virtual")["effective"]["virtual_threads"], 200);
    assert_eq!(
        arm("jetty-virtual-lifted")["effective"]["virtual_threads"],
        10_000
    );
    assert_eq!((home.servers(), home.work_folders().len()), (Vec::new(), 0));
}

/// Runs `scripts/posts` of the folder with these words; returns whether it succeeds, and what it prints.
fn scripts_posts(home: &Home, folder: &Path, words: &[&str]) -> (bool, String) {
    let script = folder.join("scripts/posts");
    let program = ["--prony", env!("CARGO_BIN_EXE_prony")];
    let mut command = home.command(script.to_str().expect("UTF-8"), &[&program, words].concat());
    let output = command.output().expect("python3 runs");
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    (output.status.success(), text.concat())
}

#[test]
fn the_pages_of_the_posts_are_what_their_stored_runs_give() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (right, printed) = scripts_posts(&Home::empty(), &root, &["--check"]);
    assert!(right, "{printed}\nrun: scripts/posts");
}

#[test]
fn a_page_is_written_from_a_run_and_checked() {
    let home = goldens::home_of("ended_early");
    let folder = home.cache().join("sources");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let write = |path: &str, text: &str| {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    };
    write("scripts/posts", "");
    fs::copy(root.join("scripts/posts"), folder.join("scripts/posts")).expect("copied");
    let marks = "<!-- posts -->\n<!-- end of posts -->\n";
    write("docs/SUMMARY.md", marks);
    write("docs/guide/posts.md", marks);
    let post = "[[post]]\npage = \"early\"\ntitle = \"A post\"\nexperiments = [\"ended-early\", \"never-run\"]\nsaid = \"It said.\"\nnot_shown = [\"arm64\"]\n";
    write("docs/posts/posts.toml", post);
    let printed = home.run(&["report", "latest", "--format", "json"]);
    write("runs/ended-early/report.json", &printed.stdout);

    let runs = folder.join("runs");
    let (right, told) = scripts_posts(&home, &folder, &["--take", runs.to_str().expect("UTF-8")]);
    assert!(right && told.contains("never-run: not run in"), "{told}");
    let page = fs::read_to_string(folder.join("docs/posts/early.md")).expect("a page");
    for part in [
        "# A post\n",
        "It said.",
        "### Figures of the post",
        "### To repeat",
        "- arm64",
        "Measured on ",
    ] {
        assert!(page.contains(part), "`{part}` is missing in:\n{page}");
    }
    let summary = fs::read_to_string(folder.join("docs/SUMMARY.md")).expect("the summary");
    assert!(summary.contains("  - [A post](posts/early.md)\n"), "{summary}");

    let check = || scripts_posts(&Home::empty(), &folder, &["--check"]);
    assert_eq!(check(), (true, String::new()));
    write("docs/posts/early.md", &page.replace("It said.", "It was said."));
    let (right, told) = check();
    assert!(!right && told.contains("+It said."), "{told}");
}
