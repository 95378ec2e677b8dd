//! Stored runs of real servers. The tests compute each run again and compare its reports in every form and language with the kept
//! reports, byte for byte. They do so in this process, by the functions that `prony report` calls; one test compares what the program
//! itself prints. `goldens/README.md` tells what each run shows, how it was made, and how to replace the kept reports.

use crate::home::Home;
use flate2::read::GzDecoder;
use record::outcome::Report;
use record::rounds::RunRecord;
use record::series::Series;
use report::slices::{StoredSlices, csv};
use report::{annotations, comment, html, junit, markdown, terminal};
use say::Language;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use store::Store;

/// Defines one test per run, with its name, and the list of all these names.
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
    /// A load by `prony load`, which stores only the report.
    Load,
}

/// How the name of a stored run ends: the database of a `PRONY_HOME` that holds nothing else, compressed by `gzip`.
const FIXTURE: &str = ".sqlite.gz";

/// How the name of the kept reports of a run ends: one text, in which a line `==== NAME` begins each report. A line end behind each report
/// belongs to none, so that the next one begins on a new line.
const KEPT: &str = ".txt";
const BEGIN: &str = "==== ";

/// A kept report of a run.
struct Form {
    file: &'static str,
    /// The flags of `prony report` that print it.
    flags: &'static [&'static str],
    /// What `prony report` calls to make it.
    text: fn(&Report, &Series) -> String,
}

/// The kept reports of every run.
const REPORTS: [Form; 10] = [
    Form { file: "report.json", flags: &["--format", "json"], text: |report, _| report::json(report) },
    Form {
        file: "junit.xml",
        flags: &["--format", "junit"],
        text: |report, _| junit::text(report, Language::En),
    },
    Form {
        file: "en.txt",
        flags: &["--format", "text", "--lang", "en"],
        text: |report, _| terminal::text(report, false, Language::En),
    },
    Form {
        file: "zh.txt",
        flags: &["--format", "text", "--lang", "zh"],
        text: |report, _| terminal::text(report, false, Language::Zh),
    },
    Form {
        file: "en.md",
        flags: &["--format", "md", "--lang", "en"],
        text: |report, _| markdown::text(report, Language::En),
    },
    Form {
        file: "zh.md",
        flags: &["--format", "md", "--lang", "zh"],
        text: |report, _| markdown::text(report, Language::Zh),
    },
    Form {
        file: "en.comment.md",
        flags: &["--format", "comment", "--lang", "en"],
        text: |report, _| comment::text(report, Language::En),
    },
    Form {
        file: "zh.comment.md",
        flags: &["--format", "comment", "--lang", "zh"],
        text: |report, _| comment::text(report, Language::Zh),
    },
    Form {
        file: "en.html",
        flags: &["--format", "html", "--lang", "en"],
        text: |report, series| without_constants(&html::text(report, series, Language::En)),
    },
    Form {
        file: "zh.html",
        flags: &["--format", "html", "--lang", "zh"],
        text: |report, series| without_constants(&html::text(report, series, Language::Zh)),
    },
];

/// A further kept report of experiments; single loads have no slices.
const SLICES: (&str, &[&str]) = ("slices.csv", &["--format", "csv"]);

/// The annotations for a build server. `prony report` has no such format.
const ANNOTATIONS: &str = "annotations.txt";

/// The report as it was stored, printed without `--recompute`.
const STORED: (&str, &[&str]) = ("stored.txt", &["--format", "text", "--lang", "en"]);

/// The name of a kept report, and its text today.
struct Golden {
    file: &'static str,
    text: String,
}

/// Returns the folder with the stored runs and their reports.
fn goldens() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/plain/goldens")
}

/// Computes all reports of a stored run and compares them with the kept ones, or replaces these if `INSTA_UPDATE` asks for it.
fn check(run: &str, what: What) {
    let file = goldens().join(format!("{run}{KEPT}"));
    let reports = made_now(&home_of(run), what);
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        fs::write(&file, packed(&reports)).expect("kept reports");
    }
    let text = fs::read_to_string(&file).unwrap_or_default();
    let kept = unpacked(&text);
    let changed = reports.iter().filter_map(|report| difference(&kept, report));
    let differences: Vec<String> = changed.collect();
    assert!(
        differences.is_empty(),
        "{run}: reports are not what they were; INSTA_UPDATE=always keeps the new ones\n{}",
        differences.join("\n")
    );
    assert_eq!(kept.len(), reports.len(), "{run}: a report is kept that is not made");
}

/// Returns the text that keeps these reports.
fn packed(reports: &[Golden]) -> String {
    let report = |report: &Golden| format!("{BEGIN}{}\n{}\n", report.file, report.text);
    reports.iter().map(report).collect()
}

/// Returns the reports that a text keeps, by name.
fn unpacked(text: &str) -> BTreeMap<&str, &str> {
    let text = text.strip_prefix(BEGIN).unwrap_or_default();
    let text = text.strip_suffix('\n').unwrap_or(text);
    let between = format!("\n{BEGIN}");
    let reports = text.split(&between);
    reports.filter_map(|report| report.split_once('\n')).collect()
}

/// Creates a `PRONY_HOME` whose history is this one of the stored runs.
pub(crate) fn home_of(run: &str) -> Home {
    let home = Home::empty();
    let compressed = fs::File::open(goldens().join(format!("{run}{FIXTURE}"))).expect("a stored run");
    let mut database = Vec::new();
    GzDecoder::new(compressed).read_to_end(&mut database).expect("a whole file");
    fs::create_dir_all(home.data()).expect("a folder");
    fs::write(home.data().join("history.sqlite"), database).expect("a history");
    home
}

/// Makes all reports of the only run in this home, in this process.
fn made_now(home: &Home, what: What) -> Vec<Golden> {
    let store = Store::open(&home.data()).expect("a history");
    let run = store.find("latest").expect("a history").expect("a run");
    let stored = run.report.expect("a report").expect("a finished run");
    let mut made = vec![Golden { file: STORED.0, text: terminal::text(&stored, false, Language::En) }];
    let (report, series) = match what {
        What::Load => (stored, Series::default()),
        What::Experiment => {
            let record = store.record(&run.run).expect("a history").expect("a record");
            let (rounds, _) = store.rounds(&run.run).expect("rounds");
            made.push(Golden { file: SLICES.0, text: slices(&store, &record) });
            (judge::report(&record, &rounds), judge::series(&record, &rounds))
        }
    };
    made.push(Golden { file: ANNOTATIONS, text: annotations::github(&report, Language::En) });
    made.extend(REPORTS.iter().map(|form| Golden { file: form.file, text: (form.text)(&report, &series) }));
    made
}

/// Returns the slices of a stored run as CSV.
fn slices(store: &Store, run: &RunRecord) -> String {
    csv::text(StoredSlices {
        run,
        rounds: &store.rounds_without_slices(&run.run).expect("rounds"),
        slices: &store.slices(&run.run).expect("slices"),
    })
}

/// Returns what the program prints of the only run in this home: all kept reports except the annotations.
fn printed_now(home: &Home, what: What) -> Vec<Golden> {
    let again: &[&str] = match what {
        What::Experiment => &["--recompute"],
        What::Load => &[],
    };
    let stored = output(STORED.0, start(home, STORED.1));
    let slices = (what == What::Experiment).then_some(SLICES);
    let forms = REPORTS.iter().map(|form| (form.file, form.flags)).chain(slices);
    let children: Vec<(&str, Child)> =
        forms.map(|(file, flags)| (file, start(home, &[again, flags].concat()))).collect();
    let others = children.into_iter().map(|(file, child)| output(file, child));
    [stored].into_iter().chain(others).collect()
}

/// Starts `prony report` of the newest run with these flags.
fn start(home: &Home, flags: &[&str]) -> Child {
    let mut command = home.prony(&[&["report"], flags].concat());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("prony starts")
}

/// Waits for a `prony report` and returns its output in the form in which it is kept in this file.
fn output(file: &'static str, child: Child) -> Golden {
    let output = child.wait_with_output().expect("prony ends");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{file}: {}: {errors}", output.status);
    let printed = String::from_utf8(output.stdout).expect("UTF-8");
    let text = match file.ends_with(".html") {
        true => without_constants(&printed),
        false => printed,
    };
    Golden { file, text }
}

/// Removes the styles and scripts that all pages share, 70 kB per page. Their hashes stay in the policy of the page.
fn without_constants(page: &str) -> String {
    let mut kept = String::new();
    let mut rest = page;
    let starts = [("<style>", "</style>"), ("<script>", "</script>")];
    while let Some((begin, end)) =
        starts.iter().filter_map(|(begin, end)| Some((rest.find(begin)? + begin.len(), *end))).min()
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

/// Returns the first lines in which a report and the kept one differ; `None` if they are equal.
fn difference(kept: &BTreeMap<&str, &str>, report: &Golden) -> Option<String> {
    let kept = kept.get(report.file).copied().unwrap_or_default();
    let compared = |text: &str| match report.file.ends_with(".html") {
        true => without_space_between_tags(text),
        false => text.to_owned(),
    };
    let (kept, printed) = (compared(kept), compared(&report.text));
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
    let equal = was.chars().zip(is.chars()).take_while(|(was, is)| was == is).count();
    let part = |line: &str| line.chars().skip(equal.saturating_sub(60)).take(200).collect();
    [part(was), part(is)]
}

#[test]
fn the_program_prints_what_its_libraries_make() {
    for (run, what) in [("decided", What::Experiment), ("single_load", What::Load)] {
        let made = made_now(&home_of(run), what);
        let printed = printed_now(&home_of(run), what);
        assert_eq!(printed.len() + 1, made.len(), "{run}: all but the annotations");
        for report in printed {
            let of_libraries = made.iter().find(|made| made.file == report.file);
            let expected = &of_libraries.expect("a kept report").text;
            assert!(&report.text == expected, "{run}: {} is printed otherwise", report.file);
        }
    }
}

#[test]
fn every_stored_run_has_a_test_and_there_are_no_other_files() {
    let entries = fs::read_dir(goldens()).expect("a folder").flatten();
    let names: BTreeSet<String> =
        entries.map(|entry| entry.file_name().into_string().expect("UTF-8")).collect();
    let of_runs = RUNS.iter().flat_map(|run| [FIXTURE, KEPT].map(|end| format!("{run}{end}")));
    let expected: BTreeSet<String> = of_runs.chain(["README.md".to_owned()]).collect();
    assert_eq!(names, expected);
}

#[test]
fn kept_reports_are_read_as_they_were_written() {
    let report = |file, text: &str| Golden { file, text: text.to_owned() };
    let text = packed(&[report("a", "1\n"), report("b", "2"), report("c", "")]);
    assert_eq!(text, "==== a\n1\n\n==== b\n2\n==== c\n\n");
    assert_eq!(unpacked(&text), [("a", "1\n"), ("b", "2"), ("c", "")].into());
}

#[test]
fn a_difference_is_shown_from_where_it_begins() {
    let long = "x".repeat(500);
    let before = format!("same\n{long}1\nlast\n");
    let kept = [("a.txt", before.as_str())].into();
    let report = |text: String| Golden { file: "a.txt", text };
    assert_eq!(difference(&kept, &report(before.clone())), None);
    let shown = difference(&kept, &report(format!("same\n{long}2\nlast"))).expect("a difference");
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
    assert_ne!(one, without_space_between_tags("<p><b>a</b><i>b</i></p><pre>x\n</pre>"));
    assert_ne!(one, without_space_between_tags("<p><b>a</b><i>b </i></p><pre>x</pre>"));
}

#[test]
fn a_page_keeps_everything_except_its_styles_and_scripts() {
    let page = "<style>a</style>é<script type=\"application/json\">[1]</script><script>b<style></script>.";
    assert_eq!(
        without_constants(page),
        "<style></style>é<script type=\"application/json\">[1]</script><script></script>."
    );
}
