//! Refuses keys beside the user's own configuration: the parts of another kind of server, and settings that the configuration has.

use super::Refusal;
use crate::arm::Arm;
use crate::arm::settings;
use crate::available::Available;
use crate::configuration::{OF_JETTY, OF_TOMCAT};
use crate::deployment::Migrate;
use crate::kind::Kind;
use crate::node::Node;
use crate::slip::{ArmAdvice, Hint, UnfitSlip};

/// The keys of an arm that set the options of its JVM.
const JVM: [&str; 2] = ["heap", "jvm_options"];

/// Returns what is wrong with the keys of an arm that has a configuration of the user's own.
pub(super) fn refusals(arm: &Arm, node: &Node, known: &Available) -> Vec<Refusal> {
    let kind = known.kind(&arm.server);
    let is_given = |key: &str| node.get(key).is_some();
    let of_others = OF_TOMCAT.iter().map(|key| (*key, Kind::Tomcat)).chain([(OF_JETTY, Kind::Jetty)]);
    let mut refused: Vec<Refusal> = of_others
        .filter(|(key, of)| is_given(key) && kind.is_some_and(|kind| kind != *of))
        .map(|(key, _)| other_kind(arm, key, kind))
        .collect();
    if is_given("context_path") && kind.is_some_and(|kind| ![Kind::Tomcat, Kind::Jetty].contains(&kind)) {
        let slip = UnfitSlip::OtherConfiguration { server: arm.server.clone(), key: "context_path" };
        refused.push(Refusal::new("context_path", slip, ArmAdvice::TakeOut));
    }
    let path = arm.deployment.context_path.as_ref().filter(|_| is_given("context_path"));
    if kind == Some(Kind::Jetty) && path.is_some_and(|path| path.matches('/').count() > 1) {
        let slip = UnfitSlip::DeepContextPath(arm.server.clone());
        refused.push(Refusal::new("context_path", slip, Hint::write("context_path = \"/shop\"")));
    }
    let own = &arm.configuration;
    let whole = match (&own.jetty_base, &own.conf, &own.server_xml) {
        (Some(_), ..) => Some(OF_JETTY),
        (_, Some(_), _) => Some("conf"),
        (.., Some(_)) => Some("server_xml"),
        _ => None,
    };
    if let Some(own) = whole {
        let set = settings::KEYS.iter().map(|key| key.name).filter(|key| is_given(key));
        refused.extend(set.map(|key| in_own(key, own)));
    }
    if own.setenv.is_some() {
        refused.extend(JVM.into_iter().filter(|key| is_given(key)).map(|key| in_own(key, "setenv")));
    }
    if arm.deployment.migrate == Some(Migrate::AtStart) && own.has_server_xml() {
        refused.push(in_own("migrate", whole.unwrap_or_default()));
    }
    refused
}

fn other_kind(arm: &Arm, key: &'static str, kind: Option<Kind>) -> Refusal {
    let slip = UnfitSlip::OtherConfiguration { server: arm.server.clone(), key };
    let hint = match kind {
        Some(Kind::Tomcat) => Hint::write("conf = \"conf/\""),
        Some(Kind::Jetty) => Hint::write("jetty_base = \"base/\""),
        _ => ArmAdvice::TakeOut.into(),
    };
    Refusal::new(key, slip, hint)
}

fn in_own(key: &'static str, own: &'static str) -> Refusal {
    Refusal::new(key, UnfitSlip::InOwnConfiguration { key, own }, ArmAdvice::TakeOut)
}

#[cfg(test)]
mod tests {
    use crate::available::Available;
    use crate::experiment::Experiment;
    use crate::kind::Kind;

    fn refusal(arm: &str) -> String {
        let server = |name: &str| (name.to_owned(), vec!["1".to_owned()]);
        let known = Available {
            servers: ["tomcat", "jetty", "boot"].map(server).into(),
            apps: vec![("hello".to_owned(), vec!["/json".to_owned()])],
            kinds: vec![
                ("tomcat".to_owned(), Kind::Tomcat),
                ("jetty".to_owned(), Kind::Jetty),
                ("boot".to_owned(), Kind::SpringBootTomcat),
            ],
            ..Available::default()
        };
        let text = format!("arms = [{{ {arm} }}]");
        let read = Experiment::parse(&text, "f", &known);
        read.err().map_or_else(String::new, |rejected| rejected.render("f", &text, false))
    }

    #[test]
    fn an_own_configuration_is_for_its_kind_of_server_and_has_its_settings() {
        for right in [
            "server = \"tomcat:1\", conf = \"conf/\", lib = \"lib\", context_path = \"/shop\", heap = \"64M\"",
            "server = \"tomcat:1\", setenv = \"setenv.sh\", context_xml = \"context.xml\", threads = 5",
            "server = \"jetty:1\", jetty_base = \"base\", war = \"a.war\", context_path = \"/\"",
        ] {
            assert_eq!(refusal(right), "", "{right}");
        }
        for (wrong, said) in [
            ("server = \"jetty:1\", conf = \"conf\"", "`conf` is not for `jetty`"),
            ("server = \"tomcat:1\", jetty_base = \"base\"", "write conf = \"conf/\""),
            ("server = \"boot:1\", context_path = \"/a\"", "`context_path` is not for `boot`"),
            ("server = \"tomcat:1\", conf = \"conf\", threads = 5", "`threads` is set by your own `conf`"),
            (
                "server = \"jetty:1\", jetty_base = \"b\", properties = { a = 1 }",
                "`properties` is set by your own",
            ),
            (
                "server = \"tomcat:1\", setenv = \"s.sh\", heap = \"64M\"",
                "`heap` is set by your own `setenv`",
            ),
            ("server = \"jetty:1\", context_path = \"/a/b\"", "at a path of one part"),
            ("server = \"tomcat:1\", context_path = \"shop\"", "no path of a context"),
            ("server = \"tomcat:1\", context_path = \"/shop/\"", "no path of a context"),
        ] {
            let told = refusal(wrong);
            assert!(told.contains(said), "{wrong}: {told}");
        }
    }
}
