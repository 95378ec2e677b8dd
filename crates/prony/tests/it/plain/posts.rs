//! The experiments of the repository and the pages of the posts: all experiments can be parsed, and the pages are what their runs give.

use crate::home::Home;
use crate::plain::goldens;
use ask::experiment::{Experiment, Profile};
use std::fs;
use std::path::{Path, PathBuf};

/// The experiment of each post.
const POSTS: [&str; 5] =
    ["tomcat-versions", "standalone-vs-embedded", "nio-vs-apr", "crud-memcached", "virtual-threads"];

pub(crate) fn experiments() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments")
}

/// What the name of a file ends with that asks the question of another one in short, in the place of its quick profile.
const SHORT: &str = "-few-users";

/// Parses the files of a folder in these profiles. A file whose question is asked in short by another one has no quick profile.
fn files(folder: &Path, profiles: &[Profile]) -> Vec<Experiment> {
    let known = lab::Bench::known();
    let mut read = Vec::new();
    for entry in fs::read_dir(folder).expect("experiments") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|end| end != "toml") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a file");
        let stem = path.file_stem().and_then(|stem| stem.to_str()).expect("a name");
        let is_asked_in_short = path.with_file_name(format!("{stem}{SHORT}.toml")).exists();
        for profile in profiles.iter().filter(|profile| !is_asked_in_short || **profile == Profile::Full) {
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
        let of_post = |profile: &Profile| {
            let mut files =
                posts.iter().filter(|post| post.name == name || post.name == format!("{name}{SHORT}"));
            files.any(|post| post.profile == *profile)
        };
        assert!(posts.iter().any(|post| post.name == name) && both.iter().all(of_post), "{name}");
    }
    for post in posts {
        let reference = post.reference.as_ref().expect("figures or questions of a post");
        assert!(
            !reference.open.is_empty()
                && (!POSTS.contains(&post.name.as_str()) || !reference.figures.is_empty())
        );
        let budget = post.design.budget.expect("a budget").as_secs_f64();
        let promised = match (post.profile, POSTS.contains(&post.name.as_str())) {
            (Profile::Quick, _) => 720.0,
            (Profile::Full, true) => 2400.0,
            (Profile::Full, false) => f64::INFINITY,
        };
        assert!(budget <= promised, "{}: {budget} s, and the guide promises {promised} s", post.name);
    }
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
    let post = "[[post]]\npage = \"early\"\ntitle = { en = \"A post\", zh = \"原文\" }\nexperiments = [\"ended-early\", \"never-run\"]\ntables = [\"ended-early\"]\nsaid = { en = \"It said.\", zh = \"原文说。\" }\nnot_shown = [{ en = \"arm64\", zh = \"arm64\" }]\n";
    write("docs/posts/posts.toml", post);
    let printed = home.run(&["report", "latest", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&printed.stdout).expect("JSON");
    let run = report["run"].as_str().expect("an id");
    let (right, told) = scripts_posts(&home, &folder, &["--take", "2000-01-01T00:00:00Z-0000"]);
    assert!(!right && told.contains("2000-01-01T00:00:00Z-0000 is not in"), "{told}");
    let (right, told) = scripts_posts(&home, &folder, &["--take", run]);
    assert!(right, "{told}");
    let page = fs::read_to_string(folder.join("docs/posts/early.md")).expect("a page");
    for part in [
        "# A post\n",
        "It said.",
        "## The post's figures and ours",
        "### To repeat",
        "- arm64",
        "## Where and when",
        run,
    ] {
        assert!(page.contains(part), "`{part}` is missing in:\n{page}");
    }
    let read = |path: &str| fs::read_to_string(folder.join("docs/posts").join(path)).expect("a page");
    assert!(read("early.zh.md").contains("原文说。") && read("html/early.html").contains("<h1>A post</h1>"));
    assert!(read("html/early.zh.html").contains("<html lang=\"zh-CN\">"));
    let summary = fs::read_to_string(folder.join("docs/SUMMARY.md")).expect("the summary");
    assert!(summary.contains("  - [A post](posts/early.md)\n    - [原文](posts/early.zh.md)\n"), "{summary}");

    let check = || scripts_posts(&Home::empty(), &folder, &["--check"]);
    assert_eq!(check(), (true, String::new()));
    write("docs/posts/early.md", &page.replace("It said.", "It was said."));
    let (right, told) = check();
    assert!(!right && told.contains("+It said."), "{told}");
}
