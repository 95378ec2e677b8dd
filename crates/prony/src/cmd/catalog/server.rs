//! `prony catalog SERVER`: lists the versions of one server that Maven knows, and the rules about what each can do.

use super::{CatalogWord, word};
use crate::failure::Failure;
use crate::home::Home;
use crate::language;
use crate::output::{print, print_json};
use ask::diagnostic::nearest;
use ask::version_rules::{Feature, Rule};
use say::Language;
use serde_json::{Value, json};
use std::fmt::Write;
use std::sync::atomic::AtomicBool;
use sut::{Catalog, Error, Site, versions};

/// The width of the lines of versions.
const WIDTH: usize = 120;

/// A server with its versions.
struct ServerList<'a> {
    catalog: &'a Catalog,
    server: &'a str,
    /// The versions that Maven knows, oldest first; or why it could not be asked.
    versions: Result<Vec<String>, Error>,
}

pub(crate) fn run(server: &str, is_json: bool) -> Result<(), Failure> {
    let catalog = Catalog::embedded();
    if catalog.rules(server).is_none() {
        let nearest = nearest(server, catalog.servers()).map(str::to_owned);
        let asked = server.to_owned();
        return Err(Failure::usage(Error::Unknown { asked, nearest }));
    }
    let site = Site::new(Home::find()?.cache);
    let list = ServerList {
        catalog: &catalog,
        server,
        versions: versions::of_server(server, &site, &AtomicBool::new(false)),
    };
    match is_json {
        true => print_json(&list.data()),
        false => print(&list.text(language::from_locale())),
    }
}

impl ServerList<'_> {
    fn text(&self, lang: Language) -> String {
        let title = self.catalog.title(self.server).unwrap_or_default();
        let artifact = self.catalog.artifact(self.server).unwrap_or_default();
        let mut out = format!("{title} ({artifact})\n\n");
        match &self.versions {
            Ok(versions) => {
                let _ = writeln!(out, "{}", word(lang, CatalogWord::Versions));
                lines_of(&mut out, versions);
            }
            Err(error) => {
                let _ = writeln!(out, "{}{error}", word(lang, CatalogWord::TestedVersions));
                lines_of(&mut out, self.catalog.tested(self.server));
            }
        }
        let _ = writeln!(out, "\n{}", word(lang, CatalogWord::Rules));
        for rule in self.rules() {
            let facts = facts(rule, lang).join(&word(lang, CatalogWord::Separator));
            let _ = writeln!(out, "  {facts}\n      {}\n      {}", rule.versions, rule.source);
        }
        out
    }

    fn data(&self) -> Value {
        let rule = |rule: &Rule| {
            let can: Vec<&str> = rule.can.iter().map(|feature| feature.id()).collect();
            json!({
                "versions": rule.versions.to_string(),
                "namespace": rule.namespace.map(|namespace| namespace.id()),
                "java": rule.java,
                "can": can,
                "tcnative": rule.tcnative,
                "source": rule.source,
            })
        };
        json!({
            "name": self.server,
            "title": self.catalog.title(self.server),
            "artifact": self.catalog.artifact(self.server),
            "runs": self.catalog.rules(self.server).map(|rules| rules.supported.to_string()),
            "versions": self.versions.as_ref().ok(),
            "tested": self.catalog.tested(self.server),
            "rules": self.rules().iter().map(rule).collect::<Vec<_>>(),
        })
    }

    fn rules(&self) -> &[Rule] {
        self.catalog.rules(self.server).map_or(&[], |rules| &rules.rule)
    }
}

/// Appends versions, each line of releases (9.0, 10.1) in a paragraph.
fn lines_of(out: &mut String, versions: &[String]) {
    for line in versions.chunk_by(|one, next| line_of(one) == line_of(next)) {
        let mut written = 0;
        for version in line {
            if written == 0 || written + version.len() >= WIDTH {
                out.push_str(if written == 0 { "  " } else { "\n    " });
                written = 4;
            } else {
                out.push(' ');
            }
            out.push_str(version);
            written += version.len() + 1;
        }
        out.push('\n');
    }
}

/// Returns the first two numbers of a version: 9.0 of 9.0.117.
fn line_of(version: &str) -> Vec<&str> {
    version.split('.').take(2).collect()
}

/// Describes what a rule tells.
fn facts(rule: &Rule, lang: Language) -> Vec<String> {
    let mut facts = Vec::new();
    facts.extend(rule.namespace.map(|namespace| namespace.id().to_owned()));
    facts.extend(rule.java.map(|java| format!("Java {java}+")));
    facts.extend(rule.can.iter().map(|feature| match feature {
        Feature::Connector(connector) => format!("connector {}", connector.id()),
        Feature::Tls(tls) => format!("tls {}", tls.id()),
        Feature::Http2(way) => format!("http {}", way.id()),
        Feature::VirtualThreads => word(lang, CatalogWord::VirtualThreads),
        Feature::WebappsJavaee => feature.id().to_owned(),
    }));
    if !rule.tcnative.is_empty() {
        facts.push(format!("tcnative {}", rule.tcnative.join(&word(lang, CatalogWord::Or))));
    }
    let named = rule.modules.iter().chain(&rule.properties);
    facts.extend(named.map(|(name, value)| format!("{name} = {value}")));
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(catalog: &Catalog, versions: Result<Vec<String>, Error>) -> ServerList<'_> {
        ServerList { catalog, server: "tomcat", versions }
    }

    #[test]
    fn a_server_is_listed_with_its_versions_by_line_and_the_sources_of_its_rules() {
        let catalog = Catalog::embedded();
        let versions = ["9.0.98", "9.0.99", "10.1.29"].map(str::to_owned).to_vec();
        let text = list(&catalog, Ok(versions)).text(Language::En);
        assert!(text.contains("\n  9.0.98 9.0.99\n  10.1.29\n"), "{text}");
        for rule in list(&catalog, Ok(Vec::new())).rules() {
            assert!(text.contains(&rule.source), "{}", rule.source);
        }
        assert!(text.contains("  virtual threads\n      [8.5.90,"), "{text}");
    }

    #[test]
    fn without_maven_the_tested_versions_are_listed() {
        let catalog = Catalog::embedded();
        let no_maven = Error::NoMaven { program: "mvn".to_owned() };
        let list = list(&catalog, Err(no_maven));
        let text = list.text(Language::En);
        assert!(text.contains("Maven is missing") && text.contains("11.0.24"), "{text}");
        assert_eq!(list.data()["versions"], Value::Null);
    }

    #[test]
    fn a_long_line_is_wrapped() {
        let versions: Vec<String> = (0..40).map(|patch| format!("9.0.{patch}")).collect();
        let mut out = String::new();
        lines_of(&mut out, &versions);
        assert!(out.lines().count() > 2 && out.lines().all(|line| line.len() <= WIDTH + 4), "{out}");
    }
}
