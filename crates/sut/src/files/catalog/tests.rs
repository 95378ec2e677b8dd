//! The catalog that is embedded: its rules, its checksums, and the names that it knows.

use super::*;
use ask::arm::{Connector, TlsStack, keys};
use model::version::Version;

#[test]
fn every_tested_release_has_what_it_is_made_of() {
    let catalog = Catalog::embedded();
    assert!(catalog.servers().any(|server| server == "tomcat"));
    for server in catalog.servers() {
        assert!(catalog.title(server).is_some());
        for version in catalog.tested(server) {
            let release = catalog.release(server, version).expect("prony runs it");
            assert!((7..=25).contains(&release.ability.java));
            match &release.source {
                Source::Archive(archive) => check_archive(&release, archive),
                Source::Assembled(assembly) => check_assembly(&release, assembly),
                Source::Built(build) => {
                    assert!(build.properties.values().any(|value| *value == release.version));
                }
                Source::OwnJar(_) => panic!("{} cannot be a jar of the user", release.spec()),
            }
        }
    }
}

#[test]
fn rules_have_a_source_and_every_version_a_java_and_an_api() {
    for server in catalog::servers() {
        let rules = &server.releases;
        assert!(rules.rule.iter().all(|rule| rule.source.len() > 8), "{}", server.name);
        for version in &server.tested {
            let holding = || rules.holding(version);
            assert_eq!(holding().filter(|rule| rule.java.is_some()).count(), 1, "{version}");
            let apis = holding().filter(|rule| rule.namespace.is_some()).count();
            let kind = Kind::named(&server.name).expect("a kind");
            let runs_servlets = kind.facts().runs_servlets;
            assert_eq!(apis, usize::from(runs_servlets), "{version}");
            assert!(holding().filter(|rule| !rule.tcnative.is_empty()).count() <= 1, "{version}");
        }
    }
}

fn check_archive(release: &Release, archive: &Archive) {
    let hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let checksum = archive.sha512.as_ref().expect("a checksum");
    assert!(checksum.hex.bytes().all(hex) && checksum.hex.len() == 128, "{}", release.spec());
    assert!(archive.artifact.contains(&format!(":{}:", release.version)), "{}", archive.artifact);
}

/// Checks that the donor is an archive and a lower version, and that every jar has a checksum.
fn check_assembly(release: &Release, assembly: &Assembly) {
    let donor = Catalog::embedded().release(&release.server, &assembly.donor);
    assert!(donor.is_ok_and(|donor| matches!(donor.source, Source::Archive(_))), "{}", release.spec());
    assert!(Version::of(&assembly.donor) < Version::of(&release.version));
    assert!(assembly.jars.len() > 10);
    for archive in assembly.jars.values() {
        check_archive(release, archive);
    }
}

#[test]
fn tested_versions_are_in_their_order() {
    let catalog = Catalog::embedded();
    for server in catalog.servers() {
        let versions: Vec<Version> = catalog.tested(server).iter().map(|text| Version::of(text)).collect();
        assert!(versions.is_sorted_by(|one, next| one < next), "{server}");
    }
}

#[test]
fn a_version_that_no_file_names_has_coordinates_and_abilities() {
    let catalog = Catalog::embedded();
    let release = catalog.lookup("tomcat:9.0.99").expect("it can be asked for");
    assert_eq!(
        release.source,
        Source::Archive(Archive {
            artifact: "org.apache.tomcat:tomcat:9.0.99:tar.gz".to_owned(),
            sha512: None,
        })
    );
    assert_eq!(release.namespace, Some(Namespace::Javax));
    let jetty = catalog.lookup("jetty:11.0.24").expect("it can be asked for");
    assert_eq!((jetty.ability.java, jetty.namespace), (11, Some(Namespace::Jakarta)));
    assert_eq!(jetty.modules["deploy"], "deploy");
    let boot = catalog.lookup("spring-boot-tomcat:3.5.6").expect("it can be asked for");
    let Source::Built(build) = boot.source else { panic!("it is built") };
    assert_eq!(build.properties["spring-boot.starter"], "spring-boot-starter-web");
    assert_eq!(build.properties["spring-boot.version"], "3.5.6");
    assert!(catalog.lookup("tomcat:6.0.53").is_err() && catalog.lookup("jetty:9.3.0").is_err());
}

#[test]
fn coordinates_without_a_version_are_known() {
    let catalog = Catalog::embedded();
    assert_eq!(catalog.artifact("tomcat"), Some("org.apache.tomcat:tomcat"));
    assert_eq!(catalog.artifact("undertow"), Some("io.undertow:undertow-servlet"));
    assert_eq!(catalog.artifact("nginx"), None);
}

#[test]
fn a_release_is_found_by_its_short_name() {
    let catalog = Catalog::embedded();
    let release = catalog.lookup("tomcat:10.1.29").expect("known");
    assert_eq!(release.namespace, Some(Namespace::Jakarta));
    assert_eq!(release.ability.java, 11);
    let Source::Archive(archive) = &release.source else { panic!("an archive") };
    assert_eq!(archive.artifact, "org.apache.tomcat:tomcat:10.1.29:tar.gz");
    assert_eq!(catalog.lookup("tomcat:9.0.95").expect("known").namespace, Some(Namespace::Javax));
}

#[test]
fn every_service_can_be_told_where_to_listen() {
    let services = services();
    assert!(services.iter().any(|service| service.name == "memcached"));
    for service in services {
        let names = |what: &str| service.command.iter().any(|word| word.contains(what));
        assert!(names("{port}") && names("{host}"), "{}", service.name);
        assert!(service.package.is_some(), "{}", service.name);
    }
}

#[test]
fn what_a_release_can_do_begins_and_ends_with_a_version() {
    let catalog = Catalog::embedded();
    let ability = |version: &str| catalog.release("tomcat", version).expect("known").ability;
    let apr = |version| ability(version).connectors.contains(&Connector::Apr);
    assert!(apr("9.0.12") && apr("10.0.27") && !apr("10.1.0") && !apr("10.1.29"));
    let is_virtual = |version| ability(version).virtual_threads;
    for (before, first) in [("8.5.89", "8.5.90"), ("9.0.75", "9.0.76"), ("10.1.9", "10.1.10")] {
        assert!(!is_virtual(before) && is_virtual(first), "{first}");
    }
    assert!(!is_virtual("10.0.27") && is_virtual("11.0.0"));
    let ffm = |version| ability(version).tls.contains(&TlsStack::OpenSslFfm);
    assert!(!ffm("9.0.91") && ffm("9.0.92") && !ffm("9.0.94") && ffm("9.0.95"));
    assert!(!ffm("10.0.27") && !ffm("10.1.20") && ffm("10.1.21") && ffm("11.0.24") && !ffm("8.5.100"));
    let java = |version| ability(version).java;
    assert_eq!(["8.5.100", "9.0.12", "10.0.27", "10.1.0", "11.0.0"].map(java), [7, 8, 8, 11, 17]);
    let tcnative = |version: &str| catalog.release("tomcat", version).expect("known").tcnative;
    assert_eq!(tcnative("9.0.113"), ["1.2.14"]);
    assert_eq!(tcnative("9.0.114"), ["1.3.4"]);
    assert_eq!(tcnative("11.0.22"), ["1.3.4", "2.0.12"]);
    assert_eq!(tcnative("11.0.23"), ["1.3.8", "2.0.15"]);
}

#[test]
fn an_unknown_release_names_the_nearest() {
    let catalog = Catalog::embedded();
    let hint = |spec| catalog.lookup(spec).expect_err("unknown").hint();
    assert_eq!(hint("tomcat:1.1.29").as_deref(), Some("did you mean tomcat:10.1.29?"));
    assert_eq!(hint("tomkat:10.1.29").as_deref(), Some("did you mean tomcat?"));
    assert!(hint("nginx:1").is_some_and(|hint| hint.contains("prony catalog")));
}

#[test]
fn a_file_names_settings_by_keys_of_an_arm() {
    let keys: Vec<&str> = keys::all().filter(|key| key.sets_something()).map(|key| key.name).collect();
    for server in catalog::servers() {
        let file = format!("{}.toml", server.name);
        catalog::check_keys(&file, template(&file), &keys).unwrap_or_else(|flaw| panic!("{flaw}"));
    }
}
