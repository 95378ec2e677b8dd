//! What was asked, by the keys of the file: a report that travels says which load it is of, and two runs side by side what
//! was unlike. What the server or prony chooses by itself is left out: it stands among what ran.

use super::{Experiment, LoadProfile, Workload};
use crate::arm::{Arm, keys};
use crate::plan::Think;
use crate::secret;
use crate::units::Nanos;
use std::collections::BTreeMap;

/// Facts by name.
type Facts = BTreeMap<String, String>;

impl Experiment {
    /// The load, the pace of the measurement, and what the file says of each arm. Services, environment, limits and versions
    /// are facts of what ran ([`crate::record::RunRecord::fingerprint`]); verdicts have the rest of the design.
    pub fn asked(&self) -> Facts {
        let mut facts = Facts::new();
        workload(&self.workload, &mut facts);
        load(&self.load, &mut facts);
        let design = &self.design;
        let stage = (design.latency_pairs > 0).then(|| design.latency_pairs.to_string());
        let rate = design.latency_rate.map(|rate| format!("{}/s", rate.0));
        let pace = [
            ("pairs", Some(design.pairs.to_string())),
            ("slice", design.slice.map(seconds)),
            ("settle", design.settle.map(seconds)),
            ("latency_pairs", stage),
            ("latency_slice", Some(seconds(design.latency_slice))),
            ("latency_rate", rate),
            ("warmup", Some(seconds(design.warmup))),
            ("warmup_cap", Some(seconds(design.warmup_cap))),
            ("budget", design.budget.map(seconds)),
        ];
        put(&mut facts, "design", pace);
        let link = self.link.as_ref();
        let ports = link.and_then(|link| link.local_ports.as_ref());
        let link = [
            (
                "rate",
                link.and_then(|link| link.rate).map(|rate| rate.to_string()),
            ),
            (
                "local_ports",
                ports.map(|ports| format!("{}-{}", ports.start(), ports.end())),
            ),
        ];
        put(&mut facts, "link", link);
        self.arms.iter().for_each(|arm| of_arm(arm, &mut facts));
        facts
    }
}

fn put<const N: usize>(facts: &mut Facts, of: &str, said: [(&str, Option<String>); N]) {
    let said = said.into_iter().filter_map(|(key, value)| Some((key, value?)));
    facts.extend(said.map(|(key, value)| (format!("{of}/{key}"), value)));
}

fn workload(asked: &Workload, facts: &mut Facts) {
    let request = match &asked.mix {
        None => format!("GET {}", asked.path),
        Some(mix) => {
            let asks = mix.asks.iter().map(|ask| format!("{} {}", ask.method, ask.path));
            asks.collect::<Vec<_>>().join(" + ")
        }
    };
    facts.insert("request".to_owned(), request);
    let weights = asked.mix.as_ref().and_then(|mix| mix.weights.as_ref());
    if let Some(weights) = weights {
        facts.insert("request/weights".to_owned(), listed(weights));
    }
}

fn load(asked: &LoadProfile, facts: &mut Facts) {
    let said = [
        ("connections", Some(listed(&asked.connections))),
        ("keepalive", Some(asked.keepalive.to_string())),
        ("ramp", asked.ramp.map(seconds)),
        ("think", thinking(&asked.think)),
        (
            "connect_rate",
            asked.connect_rate.map(|rate| format!("{}/s", rate.0)),
        ),
        ("shards", Some(asked.shards.to_string())),
        ("timeout", Some(seconds(asked.timeout))),
    ];
    put(facts, "load", said);
}

/// In signs, for readers of any language: [a, b] evenly, mean ± standard deviation, Exp(mean).
fn thinking(think: &Think) -> Option<String> {
    Some(match *think {
        Think::None => return None,
        Think::Constant(time) => seconds(time),
        Think::Uniform(least, most) => format!("[{}, {}]", seconds(least), seconds(most)),
        Think::Gaussian { mean, deviation } => format!("{} ± {}", seconds(mean), seconds(deviation)),
        Think::Exponential(mean) => format!("Exp({})", seconds(mean)),
    })
}

/// What an arm's keys ask for, and its further settings by their names on the server.
fn of_arm(arm: &Arm, facts: &mut Facts) {
    let of = format!("arm/{}", arm.name);
    let asked = keys::all().filter_map(|key| Some((key.name, (key.asked)(arm)?)));
    facts.extend(asked.map(|(key, value)| (format!("{of}/{key}"), value)));
    for (name, value) in arm.settings.attributes.iter().chain(&arm.settings.properties) {
        facts.insert(format!("{of}/{name}"), secret::shown(name, value));
    }
}

fn listed<T: ToString>(values: &[T]) -> String {
    let values: Vec<String> = values.iter().map(T::to_string).collect();
    values.join(", ")
}

fn seconds(span: Nanos) -> String {
    format!("{} s", span.as_secs_f64())
}
