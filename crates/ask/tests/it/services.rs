//! Services from images and from compose files.

use ask::available::Available;
use ask::experiment::{Draft, Experiment};
use ask::service::{Ready, Service};
use std::path::{Path, PathBuf};

const ARMS: &str = "arms = [\"tomcat:9.0.95\", \"tomcat:10.1.29\"]\n";
const COMPOSE: &str = "services:\n  db:\n    image: postgres:16\n    environment: [A=1, B=2]\n    ports: [\"1:5432\", \"2:80\"]\n";

fn read(service: &str) -> Result<Experiment, String> {
    let text = format!("{ARMS}[service.db]\n{service}");
    let files = [(PathBuf::from("a/compose.yml"), Ok(COMPOSE.into()))].into();
    let known = Available { files, ..crate::known() };
    Experiment::parse(&text, "f", &known).map_err(|rejected| rejected.render("f", &text, false))
}

fn service(keys: &str) -> Service {
    let mut experiment = read(keys).unwrap_or_else(|refused| panic!("{keys}: {refused}"));
    experiment.relative_to(Path::new("/e"));
    experiment.services.remove(0)
}

#[test]
fn an_image_has_its_port_its_variables_and_its_volumes() {
    let db = service(
        "image = \"postgres:16\"\nport = 5432\nenvironment = { A = 1 }\nvolumes = [\"./init:/init:ro\", \"/data\"]\n\
         ready = \"exec pg_isready\"\nuser = \"70\"",
    );
    let image = db.image.as_ref().expect("an image");
    assert_eq!(
        (image.name.as_str(), image.port, image.environment["A"].as_str()),
        ("postgres:16", Some(5432), "1")
    );
    assert_eq!(image.volumes, ["/e/init:/init:ro", "/data"]);
    assert_eq!(db.ready, Ready::Exec(["/bin/sh", "-c", "pg_isready"].map(str::to_owned).into()));
    assert!(!db.is_told_its_port());
    assert!(service("image = \"a\"\nenvironment = { PGPORT = \"{port}\" }").is_told_its_port());
    assert!(service("image = \"a\"\ncommand = [\"-p\", \"{port}\"]").is_told_its_port());
}

#[test]
fn a_compose_file_is_read_and_what_the_table_says_comes_first() {
    let text = format!("{ARMS}[service.db]\ncompose = \"a/compose.yml\"");
    let needs = Draft::parse(&text, "f").expect("TOML").needs();
    assert_eq!(needs.files, [PathBuf::from("a/compose.yml")]);
    let db = service("compose = \"a/compose.yml\"\nport = 5432\nenvironment = { B = \"3\" }");
    let image = db.image.expect("an image");
    let variables: Vec<(&str, &str)> =
        image.environment.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!((image.port, variables), (Some(5432), vec![("A", "1"), ("B", "3")]));
}

#[test]
fn what_does_not_fit_together_is_refused() {
    for (keys, said) in [
        ("compose = \"a/compose.yml\"", "ports 5432, 80"),
        ("compose = \"b.yml\"", "cannot be read"),
        ("compose = \"a/compose.yml\"\nport = 80\nimage = \"a\"", "`image` does not apply"),
        ("image = \"a\"\npackage = \"b\"", "`package` does not apply"),
        ("image = \"-a\"", "not the name of an image"),
        ("command = [\"a\", \"{port}\"]\nport = 80", "`port` does not apply"),
        ("command = [\"a\", \"{port}\"]\nready = \"exec true\"", "does not say when it is ready"),
        ("image = \"a\"\nbogus = 1", "unknown key `bogus`"),
    ] {
        let refused = read(keys).expect_err(keys);
        assert!(refused.contains(said), "{keys}: {refused}");
    }
}

#[test]
fn a_service_that_cannot_be_read_is_one_error_though_arms_name_it() {
    let text = "arms = [\"tomcat:9.0.95\", { server = \"tomcat:10.1.29\", services = [\"db\"] }]\n\
                [service.db]\nimage = \"postgres:16\"\nport = \"x\"\n";
    let rejected = Experiment::parse(text, "f", &crate::known()).expect_err("a port that is none");
    assert_eq!(rejected.diagnostics.len(), 1, "{}", rejected.render("f", text, false));
}
