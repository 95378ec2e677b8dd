//! Diagnoses in `report.json`: sentences, and next to each its code and its values. The code of a finding is the id of its cause.

use super::Coded;
use ask::change::Change;
use model::load::Load;
use model::units::Share;
use record::finding::{Cause, Finding, Unit};
use record::outcome::{self, Estimate};
use say::Language;
use serde::Serialize;
use serde_json::Value;

/// A cause, its evidence, what to change.
#[derive(Serialize)]
pub(super) struct DiagnosisJson<'a> {
    cause: Cause,
    level: &'a Load,
    says: String,
    #[serde(skip_serializing_if = "Value::is_null")]
    values: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    explains: Option<Share>,
    evidence: Vec<EvidenceJson>,
    r#try: String,
    try_code: String,
    #[serde(skip_serializing_if = "Value::is_null")]
    try_values: Value,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    change: &'a [Change],
    #[serde(skip_serializing_if = "Option::is_none")]
    proved: Option<Estimate>,
    /// A trial has shown that the change brings nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    refuted: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    expected: bool,
    /// It rests on what the server tells of itself.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    by_metrics: bool,
}

impl<'a> DiagnosisJson<'a> {
    pub(super) fn of(diagnosis: &'a outcome::Diagnosis) -> Self {
        let outcome::Diagnosis {
            finding,
            level,
            explains,
            evidence,
            remedy,
            change,
            proved,
            expected,
            by_metrics,
        } = diagnosis;
        let Coded { code, values } = Coded::of(remedy);
        Self {
            cause: finding.cause(),
            level,
            says: say::text(&diagnosis.found(), Language::En),
            values: values_of(finding),
            explains: *explains,
            evidence: evidence.iter().map(EvidenceJson::of).collect(),
            r#try: say::text(remedy, Language::En),
            try_code: code,
            try_values: values,
            change,
            proved: *proved,
            refuted: diagnosis.is_refuted(),
            expected: *expected,
            by_metrics: *by_metrics,
        }
    }
}

/// The numbers of a finding.
fn values_of(finding: &Finding) -> Value {
    serde_json::to_value(finding).unwrap_or_default()["values"].take()
}

/// One number behind a diagnosis.
#[derive(Serialize)]
struct EvidenceJson {
    what: String,
    code: String,
    #[serde(skip_serializing_if = "Value::is_null")]
    values: Value,
    unit: Unit,
    value: f64,
}

impl EvidenceJson {
    fn of(number: &outcome::Evidence) -> Self {
        let Coded { code, values } = Coded::of(&number.what);
        Self {
            what: say::text(&number.what, Language::En),
            code,
            values,
            unit: number.what.unit(),
            value: number.value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ask::kind::Kind;
    use model::units::Count;
    use record::finding::{ConnectionsFull, Quantity, Remedy, ServerSetting, SettingName};
    use serde_json::json;

    fn diagnosis() -> outcome::Diagnosis {
        let evidence = |what, value| outcome::Evidence { what, value };
        outcome::Diagnosis {
            finding: Finding::ConnectionLimit(ConnectionsFull {
                most: Count(8192.0),
                users: Count(9000.0),
                left_out: Count(808.0),
                given_up: 71,
            }),
            level: Load { users: Some(9000), ..Load::default() },
            explains: Some(Share(0.09)),
            evidence: vec![
                evidence(Quantity::ConnectionsMost, 8192.0),
                evidence(Quantity::GroupCpuPerRequest("workers".to_owned()), 1e-5),
            ],
            remedy: Remedy::RaiseLimit {
                setting: ServerSetting { server: Kind::Tomcat, name: SettingName::MaxConnections },
                to: Some(9900),
                sizing: None,
            },
            change: Vec::new(),
            proved: None,
            expected: false,
            by_metrics: false,
        }
    }

    fn printed(diagnosis: &outcome::Diagnosis) -> Value {
        serde_json::to_value(DiagnosisJson::of(diagnosis)).expect("JSON")
    }

    #[test]
    fn a_diagnosis_has_sentences_with_codes_and_values() {
        let expected = json!({
            "cause": "connection-limit",
            "level": {"users": 9000},
            "says": "the server holds 8192 connections and there are 9000 users: 808 of them wait outside, 71 requests were \
                     given up",
            "values": {"most": 8192.0, "users": 9000.0, "left_out": 808.0, "given_up": 71},
            "explains": 0.09,
            "evidence": [
                {"what": "connection limit", "code": "connections-most", "unit": "count", "value": 8192.0},
                {
                    "what": "CPU seconds per request of workers",
                    "code": "group-cpu-per-request",
                    "values": "workers",
                    "unit": "seconds",
                    "value": 1e-5,
                },
            ],
            "try": "raise the Connector's `maxConnections` to 9900 (`max_connections = 9900`), or use fewer connections",
            "try_code": "raise-limit",
            "try_values": {"setting": {"server": "tomcat", "name": "max-connections"}, "to": 9900},
        });
        assert_eq!(printed(&diagnosis()), expected);
    }
}
