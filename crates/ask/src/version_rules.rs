//! [`VersionRules`]: which versions of a server prony runs, and what each of them can do, as rules over ranges of versions.

use crate::ability::Ability;
use crate::arm::choices::{Connector, Http2Way, TlsStack};
use crate::deployment::Namespace;
use model::version::{Version, VersionRange, count_numbers, is_of_line};
use serde::Deserialize;
use std::collections::BTreeMap;

/// What is known about the versions of a server; data of the catalog.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionRules {
    /// The versions that prony runs.
    #[serde(rename = "run")]
    pub supported: VersionRange,
    /// The versions whose whole name goes on after its third number, as 2.3.18.Final does.
    #[serde(default)]
    pub qualified: Option<VersionRange>,
    /// Whether WARs are deployed on it. Otherwise the application is built together with it.
    #[serde(default)]
    pub deploys: bool,
    /// The rules; where several of them set the same fact of a version, the last one counts.
    pub rule: Vec<Rule>,
}

/// What holds for a range of versions.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The versions for which it holds.
    pub versions: VersionRange,
    /// Where this comes from: the changelog of a release, or what was looked at in it.
    pub source: String,
    /// The Servlet API that they offer.
    #[serde(default)]
    pub namespace: Option<Namespace>,
    /// The lowest Java that they run on.
    #[serde(default)]
    pub java: Option<u32>,
    /// What an arm can ask of them.
    #[serde(default)]
    pub can: Vec<Feature>,
    /// The lowest versions of the library tcnative that they accept, one for each major version.
    #[serde(default)]
    pub tcnative: Vec<String>,
    /// Properties of the Maven build that makes them.
    #[serde(default)]
    pub properties: BTreeMap<String, String>,
    /// The modules of their distribution, by what prony needs them for.
    #[serde(default)]
    pub modules: BTreeMap<String, String>,
}

/// Something that an arm can ask of a server, by its name in experiment files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    Connector(Connector),
    /// A TLS stack.
    Tls(TlsStack),
    /// HTTP/2.
    Http2(Http2Way),
    /// A virtual thread for each request.
    VirtualThreads,
    /// To migrate, at its start, the javax WARs in a folder of that name.
    WebappsJavaee,
}

impl Feature {
    const VIRTUAL_THREADS: &'static str = "virtual-threads";
    const WEBAPPS_JAVAEE: &'static str = "webapps-javaee";

    /// Returns its name in experiment files and in the catalog.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Connector(connector) => connector.id(),
            Self::Tls(tls) => tls.id(),
            Self::Http2(way) => way.id(),
            Self::VirtualThreads => Self::VIRTUAL_THREADS,
            Self::WebappsJavaee => Self::WEBAPPS_JAVAEE,
        }
    }

    fn named(name: &str) -> Option<Self> {
        let connectors = Connector::ALL.into_iter().map(Self::Connector);
        let stacks = TlsStack::ALL.into_iter().filter(|stack| *stack != TlsStack::Own).map(Self::Tls);
        let http2 = Http2Way::ALL.into_iter().map(Self::Http2);
        let mut all =
            connectors.chain(stacks).chain(http2).chain([Self::VirtualThreads, Self::WebappsJavaee]);
        all.find(|feature| feature.id() == name)
    }
}

impl<'de> Deserialize<'de> for Feature {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = String::deserialize(from)?;
        let unknown = || serde::de::Error::custom(format!("`{name}` is nothing that a server can do"));
        Self::named(&name).ok_or_else(unknown)
    }
}

impl VersionRules {
    /// Whether prony runs this version, or the newest of this line, as far as the rules tell: it may not exist.
    pub fn supports(&self, version: &str) -> bool {
        let is_version = self.is_line(version) || count_numbers(version) >= 3;
        is_version && self.supported.contains(&self.ordered(version))
    }

    /// Whether this stands for the newest version of a line: `10.1`, but not `10.1.29`.
    pub fn is_line(&self, version: &str) -> bool {
        let are_numbers = version.split('.').all(|part| part.parse::<u64>().is_ok());
        let qualified = self.qualified.as_ref();
        let lacks_words = || qualified.is_some_and(|range| range.contains(&Version::of(version)));
        are_numbers && (count_numbers(version) < 3 || lacks_words())
    }

    /// Returns the newest release of a line among these versions.
    pub fn newest_of<'a>(&self, line: &str, versions: &'a [String]) -> Option<&'a str> {
        let of_line = versions.iter().filter(|version| is_of_line(version, line));
        let releases = of_line.filter(|version| {
            !Version::of(version).is_prerelease() && !self.is_line(version) && self.supports(version)
        });
        let newest = releases.max_by_key(|version| Version::of(version));
        newest.map(String::as_str)
    }

    /// Returns the versions that are nearest to one that does not exist: two below it and two above, lowest first.
    pub fn nearest_to<'a>(&self, missing: &str, versions: &'a [String]) -> Vec<&'a str> {
        const EACH_SIDE: usize = 2;
        let mut run: Vec<&str> = versions.iter().map(String::as_str).collect();
        run.retain(|version| self.supports(version) && !self.is_line(version));
        run.sort_by_key(|version| Version::of(version));
        let place = run.partition_point(|version| Version::of(version) < Version::of(missing));
        let from = place.saturating_sub(EACH_SIDE);
        run[from..run.len().min(place + EACH_SIDE)].to_vec()
    }

    /// Returns what a version can do. A line can do what its newest version can.
    pub fn ability(&self, version: &str) -> Ability {
        let mut ability = Ability::default();
        for rule in self.holding(version) {
            ability.java = rule.java.unwrap_or(ability.java);
            ability.namespace = rule.namespace.filter(|_| self.deploys).or(ability.namespace);
            for feature in &rule.can {
                match *feature {
                    Feature::Connector(connector) => ability.connectors.push(connector),
                    Feature::Tls(tls) => ability.tls.push(tls),
                    Feature::Http2(way) => ability.http2.push(way),
                    Feature::VirtualThreads => ability.virtual_threads = true,
                    Feature::WebappsJavaee => ability.webapps_javaee = true,
                }
            }
        }
        ability
    }

    /// Returns the sources of the rules that say which versions can do something.
    pub fn sources_of(&self, feature: Feature) -> impl Iterator<Item = &str> {
        self.rule.iter().filter(move |rule| rule.can.contains(&feature)).map(|rule| rule.source.as_str())
    }

    /// Returns the rules that hold for a version, in the order of the catalog.
    pub fn holding(&self, version: &str) -> impl Iterator<Item = &Rule> {
        let version = self.ordered(version);
        self.rule.iter().filter(move |rule| rule.versions.contains(&version))
    }

    /// Returns the place of a version in the order; a line is behind all its versions.
    fn ordered(&self, version: &str) -> Version {
        match self.is_line(version) {
            true => Version::end_of_line(version),
            false => Version::of(version),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &str = r#"
        run = "[7.0.109,)"
        deploys = true
        [[rule]]
        versions = "[7,10)"
        namespace = "javax"
        java = 8
        can = ["nio", "apr"]
        source = "a changelog"
        [[rule]]
        versions = "[10,)"
        namespace = "jakarta"
        java = 11
        can = ["nio"]
        source = "a changelog"
        [[rule]]
        versions = "[9.0.76,10),[10.1.10,)"
        can = ["virtual-threads"]
        source = "a changelog"
    "#;

    fn rules() -> VersionRules {
        toml::from_str(RULES).expect("rules")
    }

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn a_version_can_do_what_the_rules_of_its_range_say() {
        let rules = rules();
        assert!(!rules.ability("9.0.75").virtual_threads && rules.ability("9.0.76").virtual_threads);
        assert!(!rules.ability("10.1.9").virtual_threads && rules.ability("10.1.10").virtual_threads);
        assert_eq!(rules.ability("9.0.99").namespace, Some(Namespace::Javax));
        assert_eq!(rules.ability("9.0.99").connectors, [Connector::Nio, Connector::Apr]);
        assert_eq!(rules.ability("10.1.29").java, 11);
        assert!(rules.ability("9.0").virtual_threads, "its newest version has them");
        let built = VersionRules { deploys: false, ..rules };
        assert_eq!(built.ability("10.1.29").namespace, None);
    }

    #[test]
    fn what_prony_does_not_run_is_not_supported() {
        let rules = rules();
        for version in ["7.0.109", "7", "9.0.99", "10.1", "11.0.0-M20", "12"] {
            assert!(rules.supports(version), "{version}");
        }
        for version in ["7.0.108", "6", "6.0", "", "newest", "10.1.x", "10..1"] {
            assert!(!rules.supports(version), "{version}");
        }
    }

    #[test]
    fn the_newest_of_a_line_is_no_milestone() {
        let rules = rules();
        let versions = texts(&["10.1.9", "10.1.29", "10.10.1", "11.0.0-M20", "11.0.24", "12.0.0-M1"]);
        assert_eq!(rules.newest_of("10.1", &versions), Some("10.1.29"));
        assert_eq!(rules.newest_of("11", &versions), Some("11.0.24"));
        assert_eq!(rules.newest_of("12", &versions), None);
        assert!(rules.is_line("10.1") && !rules.is_line("10.1.29") && !rules.is_line("12.0.0-M1"));
    }

    #[test]
    fn a_version_without_its_words_stands_for_its_newest() {
        let rules = VersionRules {
            qualified: Some("[1,)".parse().expect("a range")),
            supported: "[1,)".parse().expect("a range"),
            ..rules()
        };
        assert!(rules.is_line("2.3.18") && !rules.is_line("2.3.18.Final"));
        let versions = texts(&["2.3.17.Final", "2.3.18.Beta1", "2.3.18.Final"]);
        assert_eq!(rules.newest_of("2.3.18", &versions), Some("2.3.18.Final"));
    }

    #[test]
    fn the_nearest_of_a_missing_version_are_below_and_above_it() {
        let versions = texts(&["9.0.100", "9.0.95", "9.0.12", "9.0.98", "10.1.29", "6.0.1"]);
        let nearest = |missing| rules().nearest_to(missing, &versions).join(" ");
        assert_eq!(nearest("9.0.97"), "9.0.12 9.0.95 9.0.98 9.0.100");
        assert_eq!(nearest("99.0.0"), "9.0.100 10.1.29");
        assert_eq!(nearest("7.0.110"), "9.0.12 9.0.95");
    }

    #[test]
    fn a_rule_about_nothing_that_is_known_is_refused() {
        for wrong in ["can = [\"fly\"]", "javas = 8", "versions = \"9\""] {
            let text = format!("run = \"[1,)\"\n[[rule]]\nsource = \"x\"\nversions = \"[1,)\"\n{wrong}\n");
            assert!(toml::from_str::<VersionRules>(&text).is_err(), "{wrong}");
        }
    }
}
