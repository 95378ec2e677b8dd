//! What is written is a scenario without mistakes, for sources as real tools make them.

use ask::scenario_file::parse;
use import::{Imported, Options};
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

fn options() -> Options {
    Options { name: "a \"name\"".to_owned(), leaves_static_out: true, ..Options::default() }
}

#[test]
fn an_archive_that_chromium_has_made_is_read() {
    let text = read_back(&import::har(include_str!("../data/shop.har"), &options()));
    assert_eq!(text.matches("[[scenario.step]]").count(), 5, "{text}");
    for part in ["csrf = { regex = ", "bearer = \"${token}\"", "\"itemId\":${id}", "think = "] {
        assert!(text.contains(part), "`{part}` is missing in:\n{text}");
    }
    assert!(!text.contains("s3cret"), "{text}");
}

#[test]
fn command_lines_as_browsers_and_people_write_them_are_read() {
    let text = read_back(&import::curl(include_str!("../data/calls.sh"), &options()));
    assert_eq!(text.matches("[[scenario.step]]").count(), 12, "{text}");
}

#[test]
fn an_openapi_document_is_read() {
    let text = read_back(&import::openapi(include_str!("../data/shop.yaml"), &options()));
    assert_eq!(text.matches("[[scenario.step]]").count(), 6, "{text}");
}

#[test]
fn targets_of_vegeta_are_read() {
    let text = read_back(&import::vegeta(include_str!("../data/targets.http"), &options()));
    assert_eq!(text.matches("[[scenario.step]]").count(), 3, "{text}");
}

#[test]
fn the_format_of_a_source_is_found_out() {
    use import::Format;
    for (text, format) in [
        (include_str!("../data/shop.har"), Some(Format::Har)),
        (include_str!("../data/calls.sh"), Some(Format::Curl)),
        (include_str!("../data/shop.yaml"), Some(Format::OpenApi)),
        (include_str!("../data/targets.http"), Some(Format::Vegeta)),
        ("{\"openapi\": \"3.1.0\"}", Some(Format::OpenApi)),
        ("{\"method\": \"GET\", \"url\": \"http://h/\"}", Some(Format::Vegeta)),
        ("hello", None),
        ("", None),
    ] {
        assert_eq!(import::format_of(text), format, "{text}");
    }
}
