//! The tables of edges in `docs/guide/servers.md`: the first release that can do something starts with it. The last one before starts
//! without it, and not with it. Of a rule whose edge was never released (9.0.92), the releases beside it are taken.
//!
//! They download dozens of releases, so they run only where that is asked for: `./test --all`.

use crate::common::{GO_ON, java, site, spec_of, start};
use crate::guide::rows_below;
use ask::arm::{Connector, Threads, TlsStack};
use sut::{Catalog, ServerSpec, tcnative};

/// The specification of a release on this Java, with what `ask` sets.
fn spec(name: &str, release: u32, ask: impl Fn(&mut ServerSpec)) -> ServerSpec {
    let mut spec = spec_of(name, "hello");
    spec.jdk = java(release);
    ask(&mut spec);
    if spec.needs_tcnative() {
        let release = Catalog::embedded().lookup(name).expect("prony runs it");
        let request = tcnative::TcnativeRequest {
            release: &release,
            home: spec.program.distribution(),
            jdk: &spec.jdk,
        };
        spec.tcnative = Some(tcnative::tcnative(request, &site(), &GO_ON).expect("installed or built"));
    }
    spec
}

/// Starts a server and stops it.
fn start_and_stop(spec: &ServerSpec) {
    let server = &spec.server;
    let started = start(spec).unwrap_or_else(|error| panic!("{server}: {error}: {:#?}", error.log()));
    started.stop().expect("stopped");
}

/// Something that an arm can ask of a release.
#[derive(Clone, Copy)]
enum Asked {
    VirtualThreads,
    Connector(Connector),
    Tls(TlsStack),
}

impl Asked {
    /// Reads the name that the guide and the catalog give it.
    fn named(name: &str) -> Self {
        let connectors = Connector::ALL.map(Self::Connector);
        let stacks = TlsStack::ALL.map(Self::Tls);
        let mut all = [Self::VirtualThreads].into_iter().chain(connectors).chain(stacks);
        all.find(|asked| asked.name() == name)
            .unwrap_or_else(|| panic!("`{name}` is nothing that an arm can ask for"))
    }

    const fn name(self) -> &'static str {
        match self {
            Self::VirtualThreads => "virtual-threads",
            Self::Connector(connector) => connector.id(),
            Self::Tls(stack) => stack.id(),
        }
    }

    /// Whether the catalog says that this release can do it.
    fn is_promised_by(self, server: &str) -> bool {
        let ability = Catalog::embedded().lookup(server).expect("prony runs it").ability;
        match self {
            Self::VirtualThreads => ability.virtual_threads,
            Self::Connector(connector) => ability.connectors.contains(&connector),
            Self::Tls(stack) => ability.tls.contains(&stack),
        }
    }

    fn ask(self, spec: &mut ServerSpec) {
        match self {
            Self::VirtualThreads => spec.settings.threads = Some(Threads::Virtual),
            Self::Connector(connector) => spec.settings.connector = Some(connector),
            Self::Tls(stack) => spec.settings.tls = Some(stack),
        }
    }
}

/// Reads a cell with code: `` `tomcat:9.0.76` ``.
fn code(cell: &str) -> &str {
    cell.trim_matches('`')
}

#[test]
#[ignore = "measured: ./test --all"]
fn an_ability_begins_where_the_guide_and_the_catalog_say() {
    let edges = rows_below(["what", "last release without it", "first release with it", "Java"]);
    assert!(!edges.is_empty(), "the guide has no edges");
    for row in edges {
        let [what, without, with, major] = row.each_ref().map(|cell| code(cell));
        let (asked, major) = (Asked::named(what), major.parse().expect("a release of Java"));
        eprintln!("{what}: {without} lacks it, {with} has it, on Java {major}");
        assert!(asked.is_promised_by(with), "{with}: {what}");
        start_and_stop(&spec(with, major, |spec| asked.ask(spec)));
        assert!(!asked.is_promised_by(without), "{without}: {what}");
        start_and_stop(&spec(without, major, |_| ()));
        let started = start(&spec(without, major, |spec| asked.ask(spec)));
        assert!(started.is_err(), "{without} has {what}, too");
    }
}

#[test]
#[ignore = "measured: ./test --all"]
fn releases_start_on_their_lowest_java_and_not_on_an_older_one() {
    let releases = rows_below(["release", "lowest Java", "not on"]);
    assert!(!releases.is_empty(), "the guide has no releases");
    for row in releases {
        let [server, lowest, older] = row.each_ref().map(|cell| code(cell));
        let least = Catalog::embedded().lookup(server).expect("prony runs it").ability.java;
        assert_eq!(least.to_string(), lowest, "{server}");
        start_and_stop(&spec(server, least, |_| ()));
        let older = older.parse().expect("a release of Java");
        assert!(start(&spec(server, older, |_| ())).is_err(), "{server} starts on Java {older}");
    }
}

/// Jetty's module that limits connections has another name from 12.1 on.
#[test]
#[ignore = "measured: ./test --all"]
fn connections_are_limited_by_the_module_that_the_catalog_says() {
    for version in ["9.4.57.v20241219", "11.0.25", "12.0.16", "12.1.12"] {
        start_and_stop(&spec(&format!("jetty:{version}"), 17, |spec| {
            spec.settings.max_connections = Some(300)
        }));
    }
}
