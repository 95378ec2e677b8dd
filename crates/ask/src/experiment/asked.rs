//! The settings that an experiment asks for, by the keys of its file. A report shows them, so that it is understood without
//! the file, and a comparison of two runs shows which of them differ. What prony or a server chooses by itself is not here,
//! but in the fingerprint of the run.

use super::{Experiment, LoadProfile, Workload};
use crate::arm::{Arm, keys};
use model::cpus;
use model::secret;
use model::units::Nanos;
use std::collections::BTreeMap;
use traffic::mix::Ask;
use traffic::pace::Think;
use traffic::scenario::Program;

/// Settings as text, by name.
type AskedSettings = BTreeMap<String, String>;

impl Experiment {
    /// Returns the load, the slices and times of the measurement, and the keys of each arm. Services, environment, limits and versions are
    /// in `record::rounds::RunRecord::fingerprint`, the rest of the design is in the report.
    pub fn asked(&self) -> AskedSettings {
        let mut facts = AskedSettings::new();
        workload(&self.workload, &mut facts);
        load(&self.load, &mut facts);
        let has_streams = self.arms.iter().any(|arm| arm.settings.http2_way().is_some());
        let streams = has_streams.then(|| self.load.streams.to_string());
        put(&mut facts, "load", [("streams", streams)]);
        let design = &self.design;
        let stage = (design.latency_pairs > 0).then(|| design.latency_pairs.to_string());
        let cycles = (design.startup_cycles > 0).then(|| design.startup_cycles.to_string());
        let rate = design.latency_rate.map(|rate| format!("{}/s", rate.0));
        let at_once = !design.pacing.is_in_turn() && design.latency_pairs > 0;
        let measurement = [
            ("pairs", Some(design.pairs.to_string())),
            ("slice", design.slice.map(seconds)),
            ("settle", design.settle.map(seconds)),
            ("latency_pairs", stage),
            ("latency_slice", Some(seconds(design.latency_slice))),
            ("latency_rate", rate),
            ("curve", design.curve.filter(|on| *on).map(|on| on.to_string())),
            ("pace", at_once.then(|| design.pacing.id().to_owned())),
            ("startup_cycles", cycles),
            ("warmup", Some(seconds(design.warmup))),
            ("warmup_cap", Some(seconds(design.warmup_cap))),
            ("budget", design.budget.map(seconds)),
        ];
        put(&mut facts, "design", measurement);
        let link = self.link.as_ref();
        let ports = link.and_then(|link| link.local_ports.as_ref());
        let link = [
            ("rate", link.and_then(|link| link.rate).map(|rate| rate.to_string())),
            ("local_ports", ports.map(|ports| format!("{}-{}", ports.start(), ports.end()))),
        ];
        put(&mut facts, "link", link);
        let cpus = |cpus: &[usize]| (!cpus.is_empty()).then(|| cpus::listed(cpus));
        let machine =
            [("generator_cpus", cpus(&self.machine.generator)), ("server_cpus", cpus(&self.machine.servers))];
        put(&mut facts, "machine", machine);
        self.arms.iter().for_each(|arm| arm_settings(arm, &mut facts));
        facts
    }
}

/// Adds the keys of a table that have a value.
fn put<const N: usize>(facts: &mut AskedSettings, table: &str, values: [(&str, Option<String>); N]) {
    let present = values.into_iter().filter_map(|(key, value)| Some((key, value?)));
    facts.extend(present.map(|(key, value)| (format!("{table}/{key}"), value)));
}

fn workload(asked: &Workload, facts: &mut AskedSettings) {
    let steps = |program: &Program| {
        let requests = program.steps.iter().filter(|step| !step.transaction);
        requests.map(|step| step.name.clone()).collect::<Vec<_>>().join(" → ")
    };
    let request = match &asked.mix {
        None => match &asked.sessions {
            Some(program) => steps(program),
            None => format!("GET {}", asked.path),
        },
        Some(mix) => {
            let asks = mix.asks.iter().map(Ask::title);
            asks.collect::<Vec<_>>().join(" + ")
        }
    };
    facts.insert("request".to_owned(), request);
    let weights = asked.mix.as_ref().and_then(|mix| mix.weights.as_ref());
    if let Some(weights) = weights {
        facts.insert("request/weights".to_owned(), listed(weights));
    }
}

fn load(asked: &LoadProfile, facts: &mut AskedSettings) {
    let values = [
        ("connections", Some(listed(&asked.connections))),
        ("keepalive", Some(asked.keepalive.to_string())),
        ("ramp", asked.ramp.map(seconds)),
        ("think", pause(&asked.think)),
        ("connect_rate", asked.connect_rate.map(|rate| format!("{}/s", rate.0))),
        ("shards", Some(asked.shards.to_string())),
        ("shared_cpus", asked.shared_cpus.then(|| "true".to_owned())),
        ("timeout", Some(seconds(asked.timeout))),
        ("agents", asked.machines.as_ref().map(|machines| machines.agents.to_string())),
    ];
    put(facts, "load", values);
}

/// Writes a pause in signs, for readers of any language: [a, b] is uniform, a ± b is mean and standard deviation,
/// Exp(mean) is exponential.
fn pause(think: &Think) -> Option<String> {
    Some(match *think {
        Think::None => return None,
        Think::Constant(time) => seconds(time),
        Think::Uniform(least, most) => format!("[{}, {}]", seconds(least), seconds(most)),
        Think::Gaussian { mean, deviation } => format!("{} ± {}", seconds(mean), seconds(deviation)),
        Think::Exponential(mean) => format!("Exp({})", seconds(mean)),
    })
}

/// Adds the keys of an arm, and its further settings by their names on the server.
fn arm_settings(arm: &Arm, facts: &mut AskedSettings) {
    let prefix = format!("arm/{}", arm.name);
    let asked = keys::all().filter_map(|key| Some((key.name, key.asked_of(arm)?)));
    facts.extend(asked.map(|(key, value)| (format!("{prefix}/{key}"), secret::without_secrets(&value))));
    for (name, value) in arm.settings.attributes.iter().chain(&arm.settings.properties) {
        facts.insert(format!("{prefix}/{name}"), secret::redacted(name, value));
    }
}

fn listed<T: ToString>(values: &[T]) -> String {
    let values: Vec<String> = values.iter().map(T::to_string).collect();
    values.join(", ")
}

fn seconds(span: Nanos) -> String {
    format!("{} s", span.as_secs_f64())
}
