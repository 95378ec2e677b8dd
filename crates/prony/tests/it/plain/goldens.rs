//! Stored runs of real servers. The test computes each run again and compares its reports in every form and language with the kept
//! reports, byte for byte. `goldens/README.md` tells what each run shows, how it was made, and how to replace the kept reports.

use crate::home::Home;
use flate2::read::GzDecoder;
use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

/// Defines one test per run, with the name of its folder, and the list of all these folders.
macro_rules! goldens {
    ($($run:ident: $what:expr,)*) => {
        const RUNS: &[&str] = &[$(stringify!($run)),*];

        $(
            #[test]
            fn $run() {
                check(stringify!($run), $what);
            }
        )*
    };
}

goldens! {
    accept_queue: What::Experiment,
    against: What::Experiment,
    capacity: What::Experiment,
    connection_limit: What::Experiment,
    cpu_quota: What::Experiment,
    decided: What::Experiment,
    disk_logging: What::Experiment,
    ended_early: What::Experiment,
    errors_fast: What::Experiment,
    first_run: What::Experiment,
    four_arms: What::Experiment,
    gate: What::Experiment,
    gc_pressure: What::Experiment,
    limit_unknown: What::Experiment,
    link_full: What::Experiment,
    lock_contention: What::Experiment,
    max_rate: What::Experiment,
    memory_limit: What::Experiment,
    open_files: What::Experiment,
    pinned_threads: What::Experiment,
    ports_exhausted: What::Experiment,
    proved: What::Experiment,
    slow_backend: What::Experiment,
    task_limit: What::Experiment,
    tls_handshakes: What::Experiment,
    single_load: What::Load,
    too_much_load: What::Load,
}

/// The kind of a stored run.
#[derive(Clone, Copy, PartialEq)]
enum What {
    /// An experiment with its rounds and slices; the report is computed again.
    Experiment,
    /// A load by `prony load`, of which only the report is stored.
    Load,
}

/// The stored run: the database of a `PRONY_HOME` that holds nothing else, compressed by `gzip`.
const FIXTURE: &str = "run.sqlite.gz";

/// The kept reports of a run: the file, and the flags of `prony report` that print it.
const REPORTS: [(&str, &[&str]); 10] = [
    (JSON, &["--format", "json"]),
    ("junit.xml", &["--format", "junit"]),
    (TEXT, &["--format", "text", "--lang", "en"]),
    ("zh.txt", &["--format", "text", "--lang", "zh"]),
    ("en.md", &["--format", "md", "--lang", "en"]),
    ("zh.md", &["--format", "md", "--lang", "zh"]),
    ("en.comment.md", &["--format", "comment", "--lang", "en"]),
    ("zh.comment.md", &["--format", "comment", "--lang", "zh"]),
    ("en.html", &["--format", "html", "--lang", "en"]),
    ("zh.html", &["--format", "html", "--lang", "zh"]),
];
const JSON: &str = "report.json";
const TEXT: &str = "en.txt";

/// Further kept reports of experiments; single loads have no slices.
const SLICES: (&str, &[&str]) = ("slices.csv", &["--format", "csv"]);

/// The annotations for a build server. `prony report` has no such format, so the test makes them from `report.json`.
const ANNOTATIONS: &str = "annotations.txt";

/// The report as it was stored, printed without `--recompute`: sentences that an early prony stored stay as they are, while
/// headings and legends are today's.
const STORED: &str = "stored.txt";

/// The name of a kept file, and what `prony` prints for it today.
struct Golden {
    file: &'static str,
    printed: String,
}

/// Returns the folder with a folder for each stored run and its reports.
fn goldens() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/plain/goldens")
}

/// Computes all reports of a stored run and compares them with the kept ones, or replaces these if `INSTA_UPDATE` asks for it.
fn check(run: &str, what: What) {
    let folder = goldens().join(run);
    let home = home_with(&folder.join(FIXTURE));
    let reports = printed_now(&home, what);
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        for report in &reports {
            fs::write(folder.join(report.file), &report.printed).expect("a kept report");
        }
    }
    let changed = reports.iter().filter_map(|report| difference(&folder, report));
    let differences: Vec<String> = changed.collect();
    assert!(
        differences.is_empty(),
        "{run}: reports are not what they were; INSTA_UPDATE=always keeps the new ones\n{}",
        differences.join("\n")
    );
}

/// Creates a `PRONY_HOME` whose history is this one of the stored runs.
pub(crate) fn home_of(run: &str) -> Home {
    home_with(&goldens().join(run).join(FIXTURE))
}

/// Creates a `PRONY_HOME` whose history is the stored run.
fn home_with(fixture: &Path) -> Home {
    let home = Home::empty();
    let compressed = fs::File::open(fixture).expect("a stored run");
    let mut database = Vec::new();
    GzDecoder::new(compressed)
        .read_to_end(&mut database)
        .expect("a whole file");
    fs::create_dir_all(home.data()).expect("a folder");
    fs::write(home.data().join("history.sqlite"), database).expect("a history");
    home
}

/// Returns all reports of the only run in this home.
fn printed_now(home: &Home, what: What) -> Vec<Golden> {
    let start = |flags: &[&str]| match what {
        What::Experiment => start(home, &[&["--recompute"], flags].concat()),
        What::Load => start(home, flags),
    };
    // The first process migrates an older database; no other process may read it meanwhile.
    let (file, flags) = REPORTS[0];
    let json = output(file, start(flags));
    let annotations = report::annotations::github(&report_of(home, what), report::Lang::En);
    let slices = (what == What::Experiment).then_some(SLICES);
    let others: Vec<(&str, Child)> = REPORTS[1..]
        .iter()
        .copied()
        .chain(slices)
        .map(|(file, flags)| (file, start(flags)))
        .collect();
    let others = others
        .into_iter()
        .map(|(file, child)| (file, output(file, child)));
    let stored = output(STORED, self::start(home, &["--format", "text", "--lang", "en"]));
    let all = [(file, json), (ANNOTATIONS, annotations), (STORED, stored)];
    all.into_iter()
        .chain(others)
        .map(|(file, printed)| Golden { file, printed })
        .collect()
}

/// Returns the report of the only run in this home as a value.
fn report_of(home: &Home, what: What) -> model::outcome::Report {
    let store = store::Store::open(&home.data()).expect("a history");
    let run = store.find("latest").expect("a history").expect("a run");
    match what {
        What::Load => run.report.expect("a report").expect("a finished run"),
        What::Experiment => {
            let record = store.record(&run.run).expect("a history").expect("a record");
            let (rounds, _) = store.rounds(&run.run).expect("rounds");
            judge::report(&record, &rounds)
        }
    }
}

/// Starts `prony report` of the newest run with these flags.
fn start(home: &Home, flags: &[&str]) -> Child {
    let mut command = home.prony(&[&["report"], flags].concat());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("prony starts")
}

/// Waits for a `prony report` and returns its output in the form in which it is kept in this file.
fn output(file: &str, child: Child) -> String {
    let output = child.wait_with_output().expect("prony ends");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{file}: {}: {errors}", output.status);
    let printed = String::from_utf8(output.stdout).expect("UTF-8");
    match file.ends_with(".html") {
        true => without_constants(&printed),
        false => printed,
    }
}

/// Removes the styles and scripts that all pages share, 70 kB per page. Their hashes stay in the policy of the page.
fn without_constants(page: &str) -> String {
    let mut kept = String::new();
    let mut rest = page;
    let starts = [("<style>", "</style>"), ("<script>", "</script>")];
    while let Some((begin, end)) = starts
        .iter()
        .filter_map(|(begin, end)| Some((rest.find(begin)? + begin.len(), *end)))
        .min()
    {
        let (before, constant) = rest.split_at(begin);
        kept += before;
        rest = &constant[constant.find(end).expect("an end")..];
    }
    kept + rest
}

/// Replaces white space between two tags by a line end, because it makes no difference in a browser.
fn without_space_between_tags(page: &str) -> String {
    let mut kept = String::new();
    for piece in page.split_inclusive('>') {
        let text = piece.trim_start();
        if kept.ends_with('>') && text.starts_with('<') {
            kept.push('\n');
            kept.push_str(text);
        } else {
            kept.push_str(piece);
        }
    }
    kept.trim_end().to_owned()
}

/// Returns the first lines in which a report and its kept file differ; `None` if they are equal.
fn difference(folder: &Path, report: &Golden) -> Option<String> {
    let kept = fs::read_to_string(folder.join(report.file)).unwrap_or_default();
    let compared = |text: &str| match report.file.ends_with(".html") {
        true => without_space_between_tags(text),
        false => text.to_owned(),
    };
    let (kept, printed) = (compared(&kept), compared(&report.printed));
    if kept == printed {
        return None;
    }
    let (was, is) = (lines(&kept), lines(&printed));
    let unlike = (0..was.len().max(is.len())).filter(|&line| was.get(line) != is.get(line));
    let shown = unlike.take(3).map(|line| {
        let [was, is] = [&was, &is].map(|lines| lines.get(line).copied().unwrap_or("(no such line)\n"));
        let [was, is] = from_where_they_differ(was, is);
        format!("  line {}\n    kept {was:?}\n    now  {is:?}\n", line + 1)
    });
    Some(format!("{}\n{}", report.file, shown.collect::<String>()))
}

/// Returns the lines with their line ends, so that these are compared, too.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Cuts two lines to a readable part that begins shortly before the first character that differs.
fn from_where_they_differ(was: &str, is: &str) -> [String; 2] {
    let equal = was
        .chars()
        .zip(is.chars())
        .take_while(|(was, is)| was == is)
        .count();
    let part = |line: &str| line.chars().skip(equal.saturating_sub(60)).take(200).collect();
    [part(was), part(is)]
}

#[test]
fn every_stored_run_has_a_test_and_there_are_no_other_files() {
    let names = |folder: &Path| -> BTreeSet<String> {
        let entries = fs::read_dir(folder).expect("a folder").flatten();
        entries
            .map(|entry| entry.file_name().into_string().expect("UTF-8"))
            .collect()
    };
    let mut expected: BTreeSet<String> = RUNS.iter().map(|run| (*run).to_owned()).collect();
    expected.insert("README.md".to_owned());
    assert_eq!(names(&goldens()), expected);
    let files = REPORTS.iter().chain([&SLICES]).map(|(file, _)| *file);
    let files: BTreeSet<String> = files
        .chain([FIXTURE, ANNOTATIONS, STORED])
        .map(str::to_owned)
        .collect();
    for run in RUNS {
        let unknown: Vec<String> = names(&goldens().join(run)).difference(&files).cloned().collect();
        assert_eq!(unknown, [""; 0], "{run}");
    }
}

#[test]
fn a_difference_is_shown_from_where_it_begins() {
    let folder = tempfile::tempdir().expect("a folder");
    let long = "x".repeat(500);
    fs::write(folder.path().join("a.txt"), format!("same\n{long}1\nlast\n")).expect("a file");
    let report = |printed: String| Golden {
        file: "a.txt",
        printed,
    };
    assert_eq!(
        difference(folder.path(), &report(format!("same\n{long}1\nlast\n"))),
        None
    );
    let shown = difference(folder.path(), &report(format!("same\n{long}2\nlast"))).expect("a difference");
    let begin = "x".repeat(60);
    for part in [
        format!("line 2\n    kept \"{begin}1\\n\"\n    now  \"{begin}2\\n\""),
        "line 3\n    kept \"last\\n\"\n    now  \"last\"".to_owned(),
    ] {
        assert!(shown.contains(&part), "{shown}");
    }
}

#[test]
fn white_space_between_tags_is_ignored_and_nothing_else() {
    let laid_out = "<p>\n\n<b>a</b>  <i>b </i></p>\n\n<pre>x\n</pre>\n";
    let other = "<p><b>a</b><i>b </i></p><pre>x\n</pre>";
    let [one, two] = [laid_out, other].map(without_space_between_tags);
    assert_eq!(one, two);
    assert_ne!(
        one,
        without_space_between_tags("<p><b>a</b><i>b</i></p><pre>x\n</pre>")
    );
    assert_ne!(
        one,
        without_space_between_tags("<p><b>a</b><i>b </i></p><pre>x</pre>")
    );
}

#[test]
fn a_page_keeps_everything_except_its_styles_and_scripts() {
    let page = "<style>a</style>é<script type=\"application/json\">[1]</script><script>b<style></script>.";
    assert_eq!(
        without_constants(page),
        "<style></style>é<script type=\"application/json\">[1]</script><script></script>."
    );
}
