//! The page: it contains everything, is safe to open, and stays small.

use crate::made::{self, SMALL, Size};
use ask::question::Question;
use model::units::{Seconds, Share};
use record::finding::{DiskWait, Finding, InMethod};
use record::note::ArmNote;
use record::outcome::{StepResult, StepTimes, Verdict};
use record::series::Series;
use say::Language;
use traffic::scenario::{FirstFailure, StepFailure};

fn page(lang: Language) -> String {
    report::html::text(&made::report(SMALL), &made::series(SMALL), lang)
}

#[test]
fn every_part_is_there_in_both_languages() {
    let parts = [
        "glance",
        "verdicts",
        "forest",
        "parts",
        "diagnoses",
        "notes",
        "percentiles",
        "levels",
        "timeline",
        "starts",
        "whole",
        "reference",
        "how",
        "ran",
        "repeat",
    ];
    for (lang, tag, words) in [
        (
            Language::En,
            "en",
            [
                "is faster than tomcat-9",
                "How to read this",
                "Evidence",
                "the wall clock was set",
                "requests in flight",
                "300 µs, in 2 % of requests",
            ],
        ),
        (
            Language::Zh,
            "zh-CN",
            [
                "比 tomcat-9",
                "如何阅读本报告",
                "依据",
                "系统时钟被调整了",
                "在途请求数",
                "300 µs（2 % 的请求）",
            ],
        ),
    ] {
        let page = page(lang);
        assert!(page.starts_with("<!doctype html>") && page.contains(&format!("<html lang=\"{tag}\">")));
        for part in parts {
            assert!(page.contains(&format!("<section id=\"{part}\">")), "{tag}: {part}");
        }
        for word in words {
            assert!(page.contains(word), "{tag}: {word}");
        }
        assert!(!page.contains("NaN") && !page.contains("undefined<"), "{tag}");
    }
}

#[test]
fn nothing_is_fetched_and_names_do_not_become_markup() {
    let mut report = made::report(SMALL);
    let evil = "</script><img src=x onerror=alert(1)>";
    report.question = Question::both(evil, evil);
    report.notes = vec![ArmNote::RequirementWithoutArm { arm: evil.to_owned() }.into()];
    report.arms[1].name = evil.to_owned();
    report.arms[1].diagnoses[0].finding = Finding::DiskLogging(DiskWait {
        file: evil.to_owned(),
        share: Share(0.4),
        each: Seconds(0.01),
        written: 80.0,
        at: InMethod::default(),
    });
    report.fingerprint.insert(evil.to_owned(), evil.to_owned());
    for comparison in &mut report.comparisons {
        comparison.arm = evil.to_owned();
    }
    let page = report::html::text(&report, &made::series(SMALL), Language::En);
    assert!(!page.contains("<img") && page.contains("&lt;img"));
    assert_eq!(page.matches("</script>").count(), 5, "the data and four scripts");
    for outside in ["src=\"http", "href=\"http", "url(http", "@import"] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.contains("default-src &#x27;none&#x27;; script-src &#x27;sha256-"));
}

#[test]
fn thirty_starts_of_four_arms_at_six_levels_stay_under_three_megabytes() {
    let large = Size { arms: 4, levels: 6, starts: 30, slices: 12_000 };
    let page = report::html::text(&made::report(large), &made::series(large), Language::En);
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
    assert!(page.len() > 500_000, "{} bytes: the data is missing", page.len());
    // bench/page measures how soon this page opens.
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("large");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("report.html"), page).expect("a page");
}

#[test]
fn what_is_not_known_is_left_out() {
    let mut report = made::report(SMALL);
    let bare = report::html::text(&report, &Series::default(), Language::En);
    for part in ["timeline", "percentiles", "starts"] {
        assert!(!bare.contains(&format!("<section id=\"{part}\">")), "{part}");
    }
    report.comparisons.clear();
    report.arms.truncate(1);
    (report.design.starts, report.design.starts_void) = (0, 0);
    let single = report::html::text(&report, &Series::default(), Language::En);
    assert!(single.contains("right answers") && !single.contains("<section id=\"verdicts\">"));
}

#[test]
fn the_page_of_an_interrupted_run_says_what_its_results_are_worth() {
    let says = |report: &record::outcome::Report| {
        let page = report::html::text(report, &made::series(SMALL), Language::En);
        ["hold the truth", "its intervals hold", "too few of its starts"].map(|words| page.contains(words))
    };
    let mut report = made::report(SMALL);
    assert_eq!(says(&report), [true, false, false]);
    report.design.interrupted = true;
    assert_eq!(says(&report), [true, true, false]);
    for comparison in &mut report.comparisons {
        comparison.verdict = record::outcome::Verdict::Invalid;
    }
    assert_eq!(says(&report), [false, false, true], "no verdict rests on an interval");
}

#[test]
fn every_plot_is_a_file_of_its_own() {
    let plots = report::plot::all(&made::report(SMALL), &made::series(SMALL), Language::En);
    let mut names: Vec<&str> = plots.iter().map(|plot| plot.name.as_str()).collect();
    assert_eq!(
        names[..5],
        [
            "verdict",
            "percentiles-a-fixed-8200-s",
            "percentiles-10-connections",
            "percentiles-50-connections",
            "levels"
        ]
    );
    for plot in &plots {
        let file = plot.file();
        assert!(file.starts_with("<svg class=\"plot\"") && file.contains("<style>"), "{}", plot.name);
        assert!(!file.contains("NaN") && !file.contains("inf"), "{}", plot.name);
    }
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), plots.len(), "two plots have one name");
}

#[test]
fn chinese_fits_80_columns_and_says_the_same_numbers() {
    let (en, zh): (String, String) = [Language::En, Language::Zh]
        .map(|lang| report::terminal::text(&made::report(SMALL), false, lang))
        .into();
    let columns = |line: &str| line.chars().map(|c| if c > '\u{2e7f}' { 2 } else { 1 }).sum::<usize>();
    for line in zh.lines() {
        assert!(columns(line) <= 80, "{} columns: {line}", columns(line));
    }
    let numbers =
        |text: &str| text.matches("µs").count() + text.matches("k/s").count() + text.matches('[').count();
    assert_eq!(numbers(&en), numbers(&zh));
    insta::assert_snapshot!(zh);
    insta::assert_snapshot!(report::markdown::text(&made::report(SMALL), Language::Zh));
}

#[test]
fn what_a_reader_looks_for_first_stands_first() {
    let mut report = made::report(SMALL);
    let step = |name: &str, p99: f64| StepResult {
        name: name.to_owned(),
        ended: 10,
        ok: 10,
        times: Some(StepTimes { p99: Seconds(p99), ..StepTimes::default() }),
        ..StepResult::default()
    };
    let levels = report.arms.iter_mut().flat_map(|arm| arm.levels.iter_mut());
    for level in levels {
        level.steps =
            (1..=7).map(|number| step(&format!("step {number}"), 0.01 * f64::from(number))).collect();
    }
    let first = FirstFailure {
        why: StepFailure::Status(503),
        request: "GET /pay".to_owned(),
        answer: "HTTP/1.1 503 <busy>".to_owned(),
    };
    report.arms[1].levels[0].counts.first_wrong = Some(first);
    let page = report::html::text(&report, &made::series(SMALL), Language::En);
    let (before, glance) = page.split_once("<section id=\"glance\">").expect("at a glance");
    assert!(before.contains("class=\"answer\"") && !before.contains("<section"), "the answer stays on top");
    let (glance, _) = glance.split_once("</section>").expect("its end");
    assert!(glance.contains("thread-pool-limit") && glance.contains("<th>reset</th>"), "{glance}");
    assert!(glance.contains("the status was 503") && glance.contains("503 &lt;busy&gt;"), "{glance}");
    let places = ["step 7", "step 6", "step 3"].map(|step| glance.find(step).expect("among the slowest"));
    assert!(
        places.is_sorted() && !glance.contains("step 2"),
        "the five slowest, the slowest first: {glance}"
    );
    report.arms.iter_mut().flat_map(|arm| &mut arm.levels).for_each(|level| level.counts.faults.clear());
    let page = report::html::text(&report, &made::series(SMALL), Language::En);
    assert!(page.contains("none in 6000012 requests"), "three loads of two arms");
}

#[test]
fn secondary_measures_that_are_open_take_one_line_and_no_row_of_the_plot() {
    let report = made::report(SMALL);
    let page = page(Language::En);
    let open = report.comparisons.iter().filter(|one| one.verdict == Verdict::Inconclusive);
    assert!(open.clone().count() > 0 && open.clone().all(|one| !report.is_headline(one)));
    assert_eq!(page.matches("<summary>still open after these starts: ").count(), 1);
    let (_, forest) = page.split_once("<section id=\"forest\">").expect("the plot");
    let (forest, _) = forest.split_once("</section>").expect("its end");
    assert!(!forest.contains("inconclusive"), "{forest}");
}

#[test]
fn the_menu_leads_to_every_part() {
    let page = page(Language::En);
    let (_, menu) = page.split_once("<nav class=\"menu\"").expect("a menu");
    let (menu, rest) = menu.split_once("</nav>").expect("its end");
    let headed = rest.matches("<section id=").count();
    assert_eq!(menu.matches("<a href=\"#").count(), headed + 1, "each part and the top");
    for target in menu.split("href=\"#").skip(1).filter_map(|link| link.split('"').next()) {
        assert!(rest.contains(&format!("id=\"{target}\"")), "{target}");
    }
}
