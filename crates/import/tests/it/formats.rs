//! What is written is a scenario without mistakes, for sources as real tools make them.

use ask::scenario_file::parse;
use import::{Format, Imported, Options};
use traffic::scenario::Resources;

/// Writes what was imported and reads it as prony does.
fn read_back(imported: &Imported) -> String {
    assert_eq!(imported.obstacles, []);
    let text = import::write(&imported.draft, &["head".to_owned()], &|remark| format!("{remark:?}"));
    let resources = Resources {
        read: &|_| Ok(b"content".to_vec()),
        environment: &|name| Some(format!("value of {name}")),
    };
    if let Err(rejected) = parse(&text, &resources) {
        panic!("{}\n{text}", rejected.render("scenario.toml", &text, false));
    }
    text
}

fn of(format: Format, text: &str) -> Imported {
    import::import(format, text, &options(), &|name| Err(name.to_owned()))
}

fn options() -> Options {
    Options { name: "a \"name\"".to_owned(), leaves_static_out: true, ..Options::default() }
}

#[test]
fn an_archive_that_chromium_has_made_is_read() {
    let text = read_back(&of(Format::Har, include_str!("../data/shop.har")));
    assert_eq!(text.matches("[[scenario.step]]").count(), 5, "{text}");
    for part in ["csrf = { regex = ", "bearer = \"${token}\"", "\"itemId\":${id}", "think = "] {
        assert!(text.contains(part), "`{part}` is missing in:\n{text}");
    }
    assert!(!text.contains("s3cret"), "{text}");
}

#[test]
fn command_lines_as_browsers_and_people_write_them_are_read() {
    let text = read_back(&of(Format::Curl, include_str!("../data/calls.sh")));
    assert_eq!(text.matches("[[scenario.step]]").count(), 12, "{text}");
}

#[test]
fn an_openapi_document_is_read() {
    let text = read_back(&of(Format::OpenApi, include_str!("../data/shop.yaml")));
    assert_eq!(text.matches("[[scenario.step]]").count(), 6, "{text}");
}

#[test]
fn targets_of_vegeta_are_read() {
    let text = read_back(&of(Format::Vegeta, include_str!("../data/targets.http")));
    assert_eq!(text.matches("[[scenario.step]]").count(), 3, "{text}");
}

#[test]
fn the_format_of_a_source_is_found_out() {
    for (text, format) in [
        (include_str!("../data/shop.har"), Format::Har),
        (include_str!("../data/calls.sh"), Format::Curl),
        (include_str!("../data/shop.yaml"), Format::OpenApi),
        (include_str!("../data/targets.http"), Format::Vegeta),
    ] {
        assert_eq!(import::recognize(text, "targets.http"), import::Recognized::Readable(format), "{text}");
    }
}
