//! Experiment files as users write them, right and wrong.

mod alone;
mod asked;
mod design;
mod draft;
mod files;
mod find;
mod require;
mod services;

use ask::available::Available;

/// A Tomcat and an application, about whose versions and abilities nothing is known.
fn known() -> Available {
    let text = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    Available {
        servers: vec![("tomcat".to_owned(), text(&["9.0.12", "9.0.95", "10.1.29"]))],
        apps: vec![("hello".to_owned(), text(&["/json", "/hello"]))],
        ..Available::default()
    }
}
