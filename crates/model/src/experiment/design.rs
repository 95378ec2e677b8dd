//! `[design]`: how the verdict is reached.

use super::Find;
use crate::diagnostic::Diagnostic;
use crate::measure::Measure;
use crate::node::{Node, Table, Value};
use crate::slip::{Advice, DesignSlip, ExpectedValue, Hint, Listing, NameSlip, NotMeasured, TableName};
use crate::units::{Nanos, Rate};
use serde::{Deserialize, Deserializer, Serialize};

/// Counted part of a slice where the service is quick.
pub const SLICE: Nanos = Nanos::from_millis(500);
/// Part of a slice before it that is not counted.
pub const SETTLE: Nanos = Nanos::from_millis(100);

/// Counted part of a slice that finds out whether a rate keeps an objective.
const PROBE: Nanos = Nanos::from_secs(1);

/// How the verdict is reached; all of it is fixed before the first start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Design {
    /// Index of the arm the others are compared with.
    pub baseline: usize,
    /// The measure that decides when to stop.
    pub headline: Measure,
    /// Cap of rounds: fresh starts of every arm. `None`: until sure, by intervals that hold at every look without a cap.
    pub starts: Option<u32>,
    /// Whether `starts` may come down to what fits into the budget; not where somebody says how many.
    #[serde(default)]
    pub tune_starts: bool,
    /// Gate: the loss of the headline that is allowed. `None`: which is better, or are they the same within the margin?
    pub gate: Option<f64>,
    /// All arms are the same on purpose, to see what the measurement itself does.
    pub aa: bool,
    /// Pairs of slices per round; even, because two pairs make a quad, or 1: a row alone, for slices of many seconds.
    pub pairs: u32,
    /// Whether `pairs` may be chosen anew, once, when four starts have shown what they are worth; not where a file says
    /// how many.
    pub tune: bool,
    /// Counted part of a slice; `None`: [`SLICE`], or as long as a slow service needs.
    pub slice: Option<Nanos>,
    /// Part of a slice before it that is not counted; `None`: [`SETTLE`], or as long as a slow service needs.
    pub settle: Option<Nanos>,
    /// Pairs of slices per round at a fixed rate, for response times and CPU per request; even; 0 leaves the stage out, and
    /// CPU per request is then that of the closed loop.
    pub latency_pairs: u32,
    /// Whether `latency_pairs` may be chosen anew.
    #[serde(default)]
    pub tune_latency: bool,
    /// Counted part of a slice at a fixed rate.
    pub latency_slice: Nanos,
    /// The fixed rate; `None` takes a share of what the slower arm reaches in the first round.
    pub latency_rate: Option<Rate>,
    /// Own load of an arm before it is measured, at least.
    pub warmup: Nanos,
    /// Own load of an arm before it is measured, at most, however unsteady it still is.
    pub warmup_cap: Nanos,
    /// Error rate of `faster` and `slower` over all looks, two-sided.
    pub alpha: f64,
    /// What is looked for (`[load]` says it); `None` compares at the loads that are given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub find: Option<Find>,
    /// Differences that count as the same, by measure, in the order of [`Measure::ALL`].
    #[serde(deserialize_with = "all_margins")]
    pub margins: [f64; Measure::ALL.len()],
    /// No new round begins when it would end later than this.
    pub budget: Option<Nanos>,
    /// Seed of everything random; `None` draws one and records it.
    pub seed: Option<u64>,
}

impl Default for Design {
    fn default() -> Self {
        Self {
            baseline: 0,
            headline: Measure::CpuPerRequest,
            starts: Some(30),
            tune_starts: true,
            gate: None,
            aa: false,
            pairs: 6,
            tune: true,
            slice: None,
            settle: None,
            latency_pairs: 16,
            tune_latency: true,
            latency_slice: SLICE,
            latency_rate: None,
            warmup: Nanos::from_secs(4),
            warmup_cap: Nanos::from_secs(20),
            alpha: 0.01,
            find: None,
            margins: Measure::ALL.map(Measure::default_margin),
            budget: None,
            seed: None,
        }
    }
}

impl Design {
    /// What one slice takes where the service is quick.
    pub fn quick_slice(&self) -> Nanos {
        self.settle.unwrap_or(SETTLE) + self.slice.unwrap_or(SLICE)
    }

    /// What one slice at the fixed rate takes where the service is quick.
    pub fn quick_latency_slice(&self) -> Nanos {
        let settle = self.settle.unwrap_or(SETTLE);
        let counted = match self.tune_latency {
            true => self.latency_slice.max(settle),
            false => self.latency_slice,
        };
        settle + counted
    }

    /// The same for something that is looked for, which then is the headline; there is no stage at a fixed rate.
    pub(super) fn finding(self, find: Find) -> Self {
        Self {
            find: Some(find),
            headline: find.measure(),
            latency_pairs: 0,
            tune_latency: false,
            latency_slice: PROBE,
            ..self
        }
    }

    /// Whether `measure` is measured at all, and so compared. On the way to a capacity there are many levels, and what each
    /// of them does is no question of its own.
    pub fn measures(&self, measure: Measure) -> bool {
        match measure {
            Measure::Capacity | Measure::MaxRate => self.find.is_some_and(|find| find.measure() == measure),
            _ if measure.at_a_rate() => self.latency_pairs > 0,
            _ => !(measure.by_level() && self.climbs()),
        }
    }

    /// Why `measure` is not measured, and what to do; `None` where it is.
    pub(crate) fn lacks(&self, measure: Measure) -> Option<(NotMeasured, Hint)> {
        if self.measures(measure) {
            return None;
        }
        Some(match (measure, self.find) {
            (Measure::Capacity | Measure::MaxRate, _) => {
                let find = measure.id().replace('_', "-");
                let hint = Hint::WriteIn {
                    key: format!("find = \"{find}\""),
                    table: "[load]",
                };
                (NotMeasured::WithoutFind { find, measure }, hint)
            }
            (_, Some(goal)) => {
                let find = goal.id();
                let hint = Hint::AskForInstead(goal.measure().id());
                (NotMeasured::WithFind { find, measure }, hint)
            }
            _ => (
                NotMeasured::WithoutFixedRate(measure),
                Advice::AtLeastTwoPairs.into(),
            ),
        })
    }

    /// Whether users are raised step by step.
    pub const fn climbs(&self) -> bool {
        matches!(self.find, Some(Find::Capacity(_)))
    }

    /// Whether `measure` is compared at the fixed rate.
    pub fn compares_at_a_rate(&self, measure: Measure) -> bool {
        self.latency_pairs > 0 && (measure.at_a_rate() || measure == Measure::CpuPerRequest)
    }

    /// Whether `measure` is compared at every level of the closed loop; what is compared neither there nor at the fixed
    /// rate is one number a start.
    pub fn compares_by_level(&self, measure: Measure) -> bool {
        measure.by_level() && self.measures(measure) && !self.compares_at_a_rate(measure)
    }

    /// The difference that counts as the same for `measure`; for the headline of a gate the loss that it allows.
    pub fn margin(&self, measure: Measure) -> f64 {
        match self.gate {
            Some(loss) if measure == self.headline => loss,
            _ => self.margins[measure as usize],
        }
    }
}

/// Reads the table over what `design` says already.
pub(super) fn read(
    node: &Node,
    names: &[&str],
    problems: &mut Vec<Diagnostic>,
    mut design: Design,
) -> Design {
    let mut table = match Table::open(node, TableName::Key("[design]")) {
        Ok(table) => table,
        Err(problem) => {
            problems.push(problem);
            return design;
        }
    };
    let set = |slot: &mut Nanos, value: Option<Nanos>| *slot = value.unwrap_or(*slot);
    design.baseline = table
        .read("baseline", problems, |node| baseline(node, names))
        .unwrap_or(design.baseline);
    latency(&mut table, &mut design, problems);
    design.aa = table.read("aa", problems, Node::boolean).unwrap_or(design.aa);
    let headline = table.read("headline", problems, |node| measure(node, &design));
    design.headline = headline.unwrap_or(design.headline);
    if let Some(pairs) = table.read("pairs", problems, pairs_or_a_row) {
        (design.pairs, design.tune) = (pairs, false);
    }
    design.slice = table
        .read("slice", problems, between(0.1, 600.0))
        .or(design.slice);
    design.settle = table
        .read("settle", problems, between(0.0, 60.0))
        .or(design.settle);
    let warmup = between(0.0, 600.0);
    set(&mut design.warmup, table.read("warmup", problems, warmup));
    set(&mut design.warmup_cap, table.read("warmup_cap", problems, warmup));
    design.budget = table
        .read("budget", problems, between(1.0, 1e6))
        .or(design.budget);
    let seed = table.read("seed", problems, |node| node.integer(0..=u64::MAX));
    design.seed = seed.or(design.seed);
    decision(&mut table, &mut design, problems);
    table.finish(problems);
    design
}

/// When the run is sure, and of what.
fn decision(table: &mut Table<'_>, design: &mut Design, problems: &mut Vec<Diagnostic>) {
    design.alpha = table.read("alpha", problems, Node::alpha).unwrap_or(design.alpha);
    let cap = table.get("starts");
    match cap.map(|node| node.integer(3..=40)) {
        Some(Ok(starts)) => (design.starts, design.tune_starts) = (Some(starts as u32), false),
        Some(Err(problem)) => problems.push(problem.about("starts")),
        None => {}
    }
    if table.read("until_sure", problems, Node::boolean) == Some(true) {
        if let Some(cap) = cap {
            let problem = cap.refuse(DesignSlip::CapUntilSure);
            problems.push(problem.hint(Advice::BudgetLimitsBoth));
        }
        design.starts = None;
    }
    design.gate = table.read("gate", problems, Node::share).or(design.gate);
    let Some(node) = table.get("margin") else { return };
    let of_headline = margins(node, design, problems);
    if design.gate.is_some() && of_headline {
        let problem = node.refuse(DesignSlip::TwoMargins);
        problems.push(problem.hint(Advice::GateReplacesMargin));
    }
}

/// The keys of the stage at a fixed rate.
fn latency(table: &mut Table<'_>, design: &mut Design, problems: &mut Vec<Diagnostic>) {
    if let Some(pairs) = table.read("latency_pairs", problems, |node| even_pairs(node, 0)) {
        (design.latency_pairs, design.tune_latency) = (pairs, false);
    }
    if let Some(slice) = table.read("latency_slice", problems, between(0.1, 600.0)) {
        design.latency_slice = slice;
    }
    let rate = table.read("latency_rate", problems, Node::rate);
    design.latency_rate = rate.or(design.latency_rate);
}

/// A span of so many seconds.
pub(super) fn between(low: f64, high: f64) -> impl Fn(&Node) -> Result<Nanos, Diagnostic> + Copy {
    move |node| {
        let span = node.duration()?;
        let inside = (low..=high).contains(&span.as_secs_f64());
        if inside {
            return Ok(span);
        }
        let expected = ExpectedValue::Between {
            least: format!("{low} s"),
            most: format!("{high} s"),
        };
        Err(node.outside(expected, format!("{} s", span.as_secs_f64())))
    }
}

fn baseline(node: &Node, names: &[&str]) -> Result<usize, Diagnostic> {
    let name = node.text()?;
    names
        .iter()
        .position(|candidate| *candidate == name)
        .ok_or_else(|| {
            let hint = Hint::listed(Listing::Arms, names.iter().copied());
            node.refuse(NameSlip::UnknownArm(name.to_owned())).hint(hint)
        })
}

fn measure(node: &Node, design: &Design) -> Result<Measure, Diagnostic> {
    let id = node.text()?;
    let measure = Measure::from_id(id).ok_or_else(|| {
        let hint = Hint::listed(Listing::Measures, Measure::USUAL.map(Measure::id));
        node.refuse(NameSlip::UnknownMeasure(id.to_owned())).hint(hint)
    })?;
    match design.lacks(measure) {
        None => Ok(measure),
        Some((why, hint)) => Err(node.refuse(why).hint(hint)),
    }
}

/// Stored before what is looked for had margins, there are fewer.
fn all_margins<'de, D: Deserializer<'de>>(from: D) -> Result<[f64; Measure::ALL.len()], D::Error> {
    let mut margins = Measure::ALL.map(Measure::default_margin);
    let stored = Vec::<f64>::deserialize(from)?;
    margins
        .iter_mut()
        .zip(stored)
        .for_each(|(margin, stored)| *margin = stored);
    Ok(margins)
}

/// Quads of pairs, or one row alone: drift does not cancel in it, but a row may take minutes.
fn pairs_or_a_row(node: &Node) -> Result<u32, Diagnostic> {
    match node.value {
        Value::Integer(1) => Ok(1),
        _ => even_pairs(node, 1),
    }
}

fn even_pairs(node: &Node, least: u64) -> Result<u32, Diagnostic> {
    let pairs = node.integer(least..=40)?;
    if pairs % 2 == 1 {
        return Err(node.refuse(DesignSlip::OddPairs).hint(Advice::EvenPairs));
    }
    Ok(pairs as u32)
}

/// One margin for the headline, or a table by measure; says whether the headline's was among them.
fn margins(node: &Node, design: &mut Design, problems: &mut Vec<Diagnostic>) -> bool {
    let headline = design.headline;
    if !matches!(node.value, Value::Table(_)) {
        match node.share() {
            Ok(margin) => design.margins[headline as usize] = margin,
            Err(problem) => problems.push(problem.about("margin").hint(Advice::MarginForms)),
        }
        return true;
    }
    let mut of_headline = false;
    if let Ok(mut table) = Table::open(node, TableName::Key("`margin`")) {
        for measure in Measure::ALL {
            if let Some(margin) = table.read(measure.id(), problems, Node::share) {
                design.margins[measure as usize] = margin;
                of_headline |= measure == headline;
            }
        }
        table.finish(problems);
    }
    of_headline
}
