//! [`Telemetry`]: how closely an arm is watched.

use crate::diagnostic::Diagnostic;
use crate::node::{Node, Value};
use crate::slip::{ExpectedValue, Hint};
use serde::{Deserialize, Serialize};

/// How closely an arm is watched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Telemetry {
    /// Only what verdicts need is read.
    Off,
    /// It is read from outside while it is loaded, and inspected from inside after that.
    #[default]
    On,
    /// As `On`, and every inspection records with the JDK Flight Recorder.
    Jfr,
}

impl Telemetry {
    /// Reads `telemetry = false`, `true` or `"jfr"`; in the short form of an arm all of them are text.
    pub(crate) fn read(node: &Node) -> Result<Self, Diagnostic> {
        match &node.value {
            Value::Bool(false) => Ok(Self::Off),
            Value::Bool(true) => Ok(Self::On),
            Value::Text(text) => match text.as_str() {
                "false" => Ok(Self::Off),
                "true" => Ok(Self::On),
                "jfr" => Ok(Self::Jfr),
                other => Err(node
                    .unknown_word(other, &["jfr"])
                    .hint(Hint::write_one_of(["true", "false", "\"jfr\""]))),
            },
            _ => Err(node.expected(ExpectedValue::TruthOr("jfr"))),
        }
    }

    /// Whether more is read than verdicts need.
    pub fn is_on(self) -> bool {
        self != Self::Off
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::available::Available;
    use crate::experiment::Experiment;

    fn arms(text: &str) -> Result<Vec<Telemetry>, String> {
        let known = Available {
            servers: vec![("tomcat".to_owned(), vec!["9.0.95".to_owned()])],
            apps: vec![("hello".to_owned(), vec!["/json".to_owned()])],
            ..Available::default()
        };
        match Experiment::parse(text, "file", &known) {
            Ok(experiment) => Ok(experiment.arms.iter().map(|arm| arm.telemetry).collect()),
            Err(rejected) => Err(rejected.render("file", text, false)),
        }
    }

    #[test]
    fn an_arm_is_watched_as_it_says_or_else_as_its_file_does() {
        let all = "arms = [\"tomcat:9.0.95\", \"tomcat:9.0.95,telemetry=false\",\
                   { name = \"c\", server = \"tomcat:9.0.95\", telemetry = true }]\n";
        use Telemetry::{Jfr, Off, On};
        assert_eq!(arms(all), Ok(vec![On, Off, On]));
        assert_eq!(arms(&format!("telemetry = \"jfr\"\n{all}")), Ok(vec![Jfr, Off, On]));
        assert!(!Off.is_on() && On.is_on() && Jfr.is_on());
        let refused = arms(&format!("telemetry = \"jrf\"\n{all}")).expect_err("a slip");
        assert!(
            refused.contains("`jrf` is not known here") && refused.contains("write true, false or \"jfr\""),
            "{refused}"
        );
        let refused = arms(&format!("telemetry = 3\n{all}")).expect_err("no number");
        assert!(refused.contains("expected true, false or \"jfr\""), "{refused}");
    }
}
