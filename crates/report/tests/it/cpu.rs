//! Where the CPU time goes: the table in every form and language, the flame graph on the page and as a file, and the offer of a profile.

use crate::made::{self, SMALL};
use crate::profiled::profiled;
use say::Language;

#[test]
fn the_terminal_and_markdown_say_what_differs_in_both_languages() {
    let (report, _) = profiled();
    let terminal = |lang| report::terminal::text(&report, false, lang);
    let of_cpu = |text: String, heading: &str| {
        let (_, section) = text.split_once(heading).expect("the section");
        section.split("\n\n").next().unwrap_or_default().to_owned()
    };
    let english = of_cpu(terminal(Language::En), "Where the CPU time of a request goes");
    let chinese = of_cpu(terminal(Language::Zh), "每请求 CPU 时间的去向");
    insta::assert_snapshot!(english);
    insta::assert_snapshot!(chinese);
    let markdown = report::markdown::text(&report, Language::En);
    let table = markdown.lines().filter(|line| line.contains("µs")).collect::<Vec<_>>();
    insta::assert_snapshot!(table.join("\n"));
    let comment = report::comment::text(&report, Language::En);
    assert!(comment.contains("| shop.Tax.burn |"), "{comment}");
}

#[test]
fn the_page_has_the_tables_and_one_flame_graph_with_its_script() {
    let (report, series) = profiled();
    for (lang, words) in [
        (Language::En, ["<section id=\"cpu\">", "(kernel)", "shop.Page&lt;init&gt;.doGet"]),
        (Language::Zh, ["<section id=\"cpu\">", "（内核）", "主要在"]),
    ] {
        let page = report::html::text(&report, &series, lang);
        for word in words {
            assert!(page.contains(word), "{word}");
        }
        assert_eq!(page.matches("<svg class=\"plot flame\"").count(), 1);
        assert_eq!(page.matches("</script>").count(), 6, "the data, three scripts of the time line, and two");
    }
}

#[test]
fn a_page_without_a_profile_has_nothing_of_it() {
    let page = report::html::text(&made::report(SMALL), &made::series(SMALL), Language::En);
    assert!(!page.contains("flame"), "neither script nor style");
}

#[test]
fn the_drawing_is_a_file_of_its_own() {
    let (report, series) = profiled();
    let plots = report::plot::all(&report, &series, Language::En);
    let flame = plots.iter().find(|plot| plot.name.starts_with("flame-")).expect("a drawing");
    assert_eq!(flame.name, "flame-tomcat-10-1-10-connections");
    insta::assert_snapshot!(flame.inline().replace("<g class=\"call", "\n<g class=\"call"));
    let file = flame.file();
    for part in [".flame .call", "<![CDATA[", "prefers-color-scheme: dark", "@media print"] {
        assert!(file.contains(part), "{part}");
    }
    assert!(!flame.inline().contains("<script"), "the page has it");
}

#[test]
fn what_was_not_shown_is_said_with_what_would_have_been() {
    let (mut report, _) = profiled();
    let difference = &mut report.cpu_differences[0];
    difference.methods.rows.clear();
    difference.packages.rows.clear();
    let text = report::markdown::text(&report, Language::En);
    assert!(text.contains("a difference of 2.50 µs or more would have been"), "{text}");
    report.cpu_differences[0].starts = [1, 1];
    assert!(report::markdown::text(&report, Language::En).contains("One profiled start does not show"));
}

#[test]
fn a_profile_is_offered_with_the_command_that_takes_it() {
    let mut report = made::report(SMALL);
    report.offers_profile = true;
    let command = format!("prony run --resume {} --profile", report.run);
    for lang in [Language::En, Language::Zh] {
        let wrapped = report::terminal::text(&report, false, lang).replace("\n  ", " ");
        for text in [
            wrapped,
            report::markdown::text(&report, lang),
            report::comment::text(&report, lang),
            report::html::text(&report, &made::series(SMALL), lang),
        ] {
            assert!(text.contains(&command), "{text}");
        }
    }
    let json: serde_json::Value = serde_json::from_str(&report::json(&report)).expect("JSON");
    assert_eq!(json["offers_profile"], true);
}
