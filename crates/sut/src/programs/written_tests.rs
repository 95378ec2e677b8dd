//! Every key of an arm that sets something in a server reaches each kind of server under its name there.

use crate::programs::jetty::Jetty;
use crate::programs::row::RowProgram;
use crate::programs::spring_boot::{Embedded, Form, SpringBoot};
use crate::programs::tomcat;
use ask::arm::key::{Key, ValueType};
use ask::arm::settings::Settings;
use ask::arm::{Arm, HttpVersion, keys};
use ask::available::Available;
use ask::change::Change;
use ask::kind::Kind;
use std::net::{Ipv4Addr, SocketAddr};

/// What a server of this kind is started with, which has its settings as NAME=VALUE.
fn given(kind: Kind, settings: &Settings) -> String {
    let at: SocketAddr = (Ipv4Addr::LOCALHOST, 8123).into();
    let boot = |embedded| {
        let boot = SpringBoot { form: Form::Jar("/app.jar".into()), embedded, arguments: Vec::new() };
        boot.properties(settings, at, None)
    };
    let pairs = match kind {
        Kind::Tomcat => return tomcat::server_xml(settings, at, None).replace('"', ""),
        Kind::Jetty => {
            let jetty = Jetty {
                home: "/j".into(),
                war: "/app.war".into(),
                modules: Default::default(),
                base: None,
                context_path: None,
            };
            return jetty.ini(settings, at, None);
        }
        Kind::SpringBootTomcat => boot(Embedded::Tomcat),
        Kind::SpringBootJetty => boot(Embedded::Jetty),
        Kind::SpringBootUndertow => boot(Embedded::Undertow),
        Kind::SpringBootNetty => boot(Embedded::Netty),
        Kind::Row(kind) => RowProgram { kind, path: "/a".into() }.settings(settings, at, None),
        Kind::Jar | Kind::Command | Kind::Running => panic!("prony sets nothing in these"),
    };
    pairs.into_iter().map(|(name, value)| format!("{name}={value}\n")).collect()
}

/// A value of a key as a file writes it.
fn sample(value: &ValueType) -> String {
    match value {
        ValueType::Whole { least, .. } => (least + 41).to_string(),
        ValueType::Truth => "true".to_owned(),
        ValueType::OneOf(words) => words()[0].to_owned(),
        ValueType::AnyOf(all) => sample(&all[0]),
        ValueType::Size => "8192".to_owned(),
        other => panic!("no sample of {other:?}"),
    }
}

fn settings_with(key: &Key) -> Settings {
    let known =
        Available { servers: vec![("tomcat".to_owned(), vec!["1".to_owned()])], ..Available::default() };
    let arm = Arm::from_command_line("tomcat:1", &known).expect("an arm");
    let change = Change { key: key.name.to_owned(), value: sample(&key.value) };
    let arm = arm.with(&[change]).unwrap_or_else(|| panic!("{} takes {}", key.name, sample(&key.value)));
    // Limits of streams are written where there are streams.
    Settings { http: Some(HttpVersion::Two), ..arm.settings }
}

#[test]
fn each_key_is_written_under_its_name_on_every_server_that_has_it() {
    let mut written = 0;
    for key in keys::all().filter(|key| key.sets_something()) {
        let settings = settings_with(key);
        for setting in key.settings() {
            let value = settings.named(setting.kind).find(|(name, _)| *name == setting.name);
            let (name, value) = value.unwrap_or_else(|| panic!("{} is not written", key.name));
            let given = given(setting.kind, &settings);
            assert!(
                given.contains(&format!("{name}={value}")),
                "{} on {:?}: {given}",
                key.name,
                setting.kind
            );
            written += 1;
        }
    }
    assert!(written > 30, "{written} settings");
}
