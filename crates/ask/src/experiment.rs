//! [`Experiment`]: a question, read from a TOML file: arms × workload × load profile × design.

use crate::arm::Arm;
use crate::available::Available;
use crate::diagnostic::Rejected;
use crate::link::Link;
use crate::question::Question;
use crate::reference::Reference;
use crate::require::Requirement;
use crate::service::Service;
use crate::tunable::Tunable;
use model::cpus::MachineCpus;
use model::load::{Load, StageLoads};
use model::measure::{Measure, MeasureScope};
use serde::{Deserialize, Serialize};
use std::path::Path;
use traffic::mix::{Ask, Mix};
use traffic::pace::Think;
use traffic::scenario::Program;

mod alone;
mod asked;
pub(crate) mod design;
mod draft;
mod elsewhere;
mod error_rate;
mod find;
mod headline;
mod jmx;
pub mod keys;
mod load;
mod machine;
mod margins;
mod pacing;
mod quick;
mod reference;
mod sessions;
mod tune;

pub use crate::earlier::{KeptRate, LearntPrior};
pub use crate::headline::Headline;
pub use design::{Design, LATENCY_SETTLE, SETTLE};
pub use draft::{ArmDrafts, Draft, FileNeeds, PlanNeed};
pub use error_rate::{GATE_ALPHA, secondary_alpha};
pub use find::{Find, Objective, Steps};
pub use load::{CONNECTIONS, LoadProfile};
pub use margins::Margins;
pub use pacing::Pacing;

/// What is asked: arms × workload × load profile × design.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Experiment {
    /// A short name; the file's own name when it gives none.
    pub name: String,
    /// The question in words.
    #[serde(flatten)]
    pub question: Question,
    /// The variants. One alone is not compared: the question is what limits it.
    pub arms: Vec<Arm>,
    /// The services that its arms use.
    pub services: Vec<Service>,
    /// The requests that every arm is sent.
    pub workload: Workload,
    /// How these requests arrive.
    pub load: LoadProfile,
    /// The link between load and servers; `None` is this machine's loopback.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<Link>,
    /// The CPUs that the file gives to the generator and to the servers.
    #[serde(default, skip_serializing_if = "MachineCpus::is_empty")]
    pub machine: MachineCpus,
    /// How the verdict is reached.
    pub design: Design,
    /// The profile of the file that this is.
    pub profile: Profile,
    /// Figures that somebody else measured; reports show them next to the run's own.
    pub reference: Option<Reference>,
    /// How far the run goes to find causes.
    pub explain: Explain,
    /// Requirements on the arms, without the gate, which belongs to the design.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub require: Vec<Requirement>,
    /// Settings of the application that trials may change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tune: Vec<Tunable>,
}

/// How far a run goes to find causes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Explain {
    /// Reports name what can be seen while arms are measured; no server is looked into.
    Off,
    /// After all measurements, servers are looked into, and reports name what was seen.
    #[default]
    Name,
    /// Trials test the changes that diagnoses suggest, too.
    Prove,
}

impl Explain {
    /// All variants.
    pub const ALL: [Self; 3] = [Self::Off, Self::Name, Self::Prove];

    /// The name in files.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Name => "name",
            Self::Prove => "prove",
        }
    }
}

/// One file, two sizes of the same question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// The file without its table `[quick]`.
    #[default]
    Full,
    /// The smaller one that `[quick]` describes.
    Quick,
}

/// The requests that every arm is sent, and the right answers to them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Workload {
    /// The application that runs in every arm.
    pub app: String,
    /// The path that is requested; with a mix only the one that a server has to answer before it is loaded.
    pub path: String,
    /// Several kinds of request in the place of `path`.
    pub mix: Option<Mix>,
    /// Sessions of steps in the place of requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sessions: Option<Box<Program>>,
    /// The body of a right answer of a WAR or a jar of the user's own; `None` takes the
    /// first answer for right.
    pub expect: Option<String>,
    /// Whether arms are compared even if their answers differ in size.
    pub unlike_answers: bool,
}

impl Workload {
    /// Returns the path that an arm is asked for.
    pub fn path_of<'a>(&'a self, arm: &'a Arm) -> &'a str {
        arm.path.as_deref().unwrap_or(&self.path)
    }

    /// Whether servers are asked for nothing but calls of gRPC, so that they need not speak HTTP/1.1.
    pub fn is_of_calls(&self) -> bool {
        self.mix.as_ref().is_some_and(Mix::is_of_calls)
    }

    /// Whether answers stream. Those of different steps of a scenario are no common measure.
    pub fn has_streams(&self) -> bool {
        self.mix.iter().flat_map(|mix| &mix.asks).any(|ask| ask.streaming.is_some())
    }

    /// What is asked, in short: the first call of gRPC, where there are only calls, the first message of WebSocket, or the path.
    fn title(&self) -> String {
        let call = self
            .mix
            .as_ref()
            .filter(|mix| mix.is_of_calls() || mix.is_of_messages())
            .and_then(|mix| mix.asks.first());
        call.map_or_else(|| format!("GET {}", self.path), Ask::title)
    }
}

impl Experiment {
    /// An experiment that no file describes: these arms are sent these requests under this load, and everything else is as in a file
    /// that says nothing of it.
    pub fn without_file(
        name: &str,
        known: &Available,
        arms: Vec<Arm>,
        workload: Workload,
        load: LoadProfile,
    ) -> Self {
        Self {
            name: name.to_owned(),
            question: default_question(&arms, &workload),
            services: services_of(&arms, known.built_in.iter()),
            design: Design::for_arms(arms.len()).adapted_to(&arms).streaming(workload.has_streams()),
            arms,
            workload,
            load,
            link: None,
            machine: MachineCpus::default(),
            profile: Profile::Full,
            reference: None,
            explain: Explain::Name,
            require: Vec::new(),
            tune: Vec::new(),
        }
    }

    /// Whether both experiments have the same name and send the same requests in the same way to the same arms. A fixed rate
    /// that was chosen for one of them then belongs to the other, too, however they reach their verdicts.
    pub fn is_same_question(&self, other: &Self) -> bool {
        let asked = |experiment: &Self| experiment.arms.iter().map(Arm::as_asked).collect::<Vec<_>>();
        self.name == other.name
            && asked(self) == asked(other)
            && self.services == other.services
            && self.workload == other.workload
            && self.load == other.load
            && self.link == other.link
            && self.machine == other.machine
    }

    /// Reads an experiment file as far as `known` goes; `name` is used where the file gives none.
    pub fn parse(text: &str, name: &str, known: &Available) -> Result<Self, Rejected> {
        Self::parse_as(text, name, known, Profile::Full)
    }

    /// Reads one of the profiles of an experiment file; `name` is used where the file gives none.
    pub fn parse_as(text: &str, name: &str, known: &Available, profile: Profile) -> Result<Self, Rejected> {
        Draft::parse(text, name)?.read(known, profile).map(|(experiment, _)| experiment)
    }

    /// Whether an arm is compared with the baseline in a measure. A server that ran already is not compared in start-up and
    /// peak memory, because prony does not start it.
    pub fn compares(&self, arm: usize, measure: Measure) -> bool {
        let started = |arm: usize| self.arms[arm].origin.is_none();
        let of_a_start = measure.scope() == MeasureScope::Start;
        self.design.measures(measure)
            && self.asks_for(measure)
            && (!of_a_start || started(arm) && started(self.design.baseline))
    }

    /// Whether a measure is one that is always compared, or is named by the headline, by `also` or by a requirement.
    pub fn asks_for(&self, measure: Measure) -> bool {
        !measure.on_request()
            || self.design.headline.one() == Some(measure)
            || self.design.also.contains(&measure)
            || self.require.iter().any(|requirement| requirement.subject == measure.into())
    }

    /// Returns the arms whose servers are looked into after all measurements, by index.
    pub fn inspected_arms(&self) -> impl Iterator<Item = usize> {
        let arms = self.arms.iter().enumerate();
        let watched =
            arms.filter(|(_, arm)| self.explain != Explain::Off && arm.telemetry.is_on() && !arm.is_unseen());
        watched.map(|(index, _)| index)
    }

    /// Whether users of the closed loop ever pause by themselves.
    pub fn has_pauses(&self) -> bool {
        let program = self.workload.sessions.as_ref();
        program.is_some_and(|program| program.has_pauses()) || self.load.think != Think::None
    }

    /// Returns how often a measure is compared in each start: at every level, or once.
    pub fn comparisons_per_start(&self, measure: Measure) -> usize {
        if self.design.compares_by_level(measure) { self.load.connections.len() } else { 1 }
    }

    /// Returns the load at which `measure` is compared: that of the stage at a fixed rate, or the level with the index `at`; `None` where it has
    /// one value in each start.
    pub fn load_of(&self, measure: Measure, at: usize, stage: &StageLoads) -> Option<Load> {
        if !self.design.compares_at_a_rate(measure) {
            return self.design.compares_by_level(measure).then(|| self.load.level(at));
        }
        let measured = match measure {
            Measure::CpuPerRequest => &stage.cpu,
            _ => &stage.times,
        };
        Some(measured.clone().unwrap_or_else(|| self.stage_load(measure)))
    }

    /// Returns the load at which `measure` will be compared at a fixed rate, which is not known before the first start that counts.
    fn stage_load(&self, measure: Measure) -> Load {
        Load {
            together: self.design.pacing.of(measure).is_together(),
            sessions: self.workload.sessions.is_some(),
            ..Load::default()
        }
    }

    /// Removes all arms except the baseline and the arms with these names.
    pub fn keep(&mut self, wanted: &[String]) {
        let baseline = self.arms[self.design.baseline].name.clone();
        self.arms.retain(|arm| arm.name == baseline || wanted.contains(&arm.name));
        let kept = self.arms.iter().position(|arm| arm.name == baseline);
        self.design.baseline = kept.unwrap_or(0);
        let arms = &self.arms;
        let kept = |name: &String| arms.iter().any(|arm| arm.name == *name);
        self.require.retain(|asked| asked.arm.as_ref().is_none_or(kept));
    }

    /// Makes relative paths start from this folder, which is the file's folder.
    pub fn relative_to(&mut self, folder: &Path) {
        self.arms.iter_mut().for_each(|arm| arm.relative_to(folder));
        self.services.iter_mut().for_each(|service| service.relative_to(folder));
    }
}

/// Returns the services that any of the arms needs.
fn services_of<'a>(arms: &[Arm], all: impl Iterator<Item = &'a Service>) -> Vec<Service> {
    let needed =
        |service: &&Service| arms.iter().any(|arm| arm.surroundings.services.contains(&service.name));
    let mut used: Vec<Service> = Vec::new();
    for service in all.filter(needed) {
        if !used.iter().any(|earlier| earlier.name == service.name) {
            used.push(service.clone());
        }
    }
    used
}

/// Returns the question that arms without a question ask.
fn default_question(arms: &[Arm], workload: &Workload) -> Question {
    let asked = workload.title();
    if let [Arm { name, .. }] = arms {
        return Question::both(
            format!("What limits {name} for {asked}?"),
            format!("处理 {asked} 时，{name} 的瓶颈在哪里？"),
        );
    }
    let names: Vec<&str> = arms.iter().map(|arm| arm.name.as_str()).collect();
    Question::both(
        format!("Which is faster for {asked}: {}?", names.join(" or ")),
        format!("处理 {asked} 时，{} 哪个更快？", names.join("、")),
    )
}
