//! Reads `[design]` of a file.

use super::Design;
use crate::diagnostic::Diagnostic;
use crate::experiment::{Headline, Pacing};
use crate::node::{Node, Table, Value};
use crate::slip::{Advice, DesignSlip, ExpectedValue, Hint, Listing, NameSlip, TableName};
use model::measure::Measure;
use model::units::Nanos;

/// The most pairs of slices that a file may ask for in a start.
pub(in crate::experiment) const MOST_PAIRS: u64 = 200;
/// Starts for their time alone in each round, where the start-up decides when to stop and the file does not set their number.
/// They take about as long as the rest of the round.
const STARTUP_CYCLES: u32 = 4;

/// Reads `[design]`; what the table does not have stays as it is in `design`.
pub(in crate::experiment) fn read(
    node: &Node,
    names: &[&str],
    problems: &mut Vec<Diagnostic>,
    mut design: Design,
) -> Design {
    let Some(mut table) = Table::open_or_tell(node, TableName::Key("[design]"), problems) else {
        return design;
    };
    table.set("baseline", &mut design.baseline, problems, |node| baseline(node, names));
    latency(&mut table, &mut design, problems);
    table.set("aa", &mut design.aa, problems, Node::boolean);
    let headline = table.read("headline", problems, |node| measure(node, &design));
    design.headline = headline.map_or(design.headline, Headline::One);
    let also = table.read("also", problems, |node| also(node, &design));
    design.also = also.unwrap_or(design.also);
    if let Some(pairs) = table.read("pairs", problems, pairs_or_a_row) {
        (design.pairs, design.tune) = (pairs, false);
    }
    design.slice = table.read("slice", problems, duration_between(0.1, 600.0)).or(design.slice);
    design.settle = table.read("settle", problems, duration_between(0.0, 60.0)).or(design.settle);
    let cycles = table.read("startup_cycles", problems, |node| node.integer(0..=20));
    design.startup_cycles = match (cycles, design.headline) {
        (Some(cycles), _) => cycles as u32,
        (None, Headline::One(Measure::StartUp)) => design.startup_cycles.max(STARTUP_CYCLES),
        (None, _) => design.startup_cycles,
    };
    let warmup = duration_between(0.0, 600.0);
    table.set("warmup", &mut design.warmup, problems, warmup);
    table.set("warmup_cap", &mut design.warmup_cap, problems, warmup);
    design.budget = table.read("budget", problems, duration_between(1.0, 1e6)).or(design.budget);
    let seed = table.read("seed", problems, |node| node.integer(0..=u64::MAX));
    design.seed = seed.or(design.seed);
    decision(&mut table, &mut design, problems);
    table.finish(problems);
    design
}

/// Reads the keys that decide when the run stops.
fn decision(table: &mut Table<'_>, design: &mut Design, problems: &mut Vec<Diagnostic>) {
    let alpha = table.read("alpha", problems, Node::alpha);
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
    if let Some(loss) = table.read("gate", problems, Node::share) {
        design.set_gate(loss);
    }
    design.alpha = alpha.unwrap_or(design.alpha);
    let Some(node) = table.get("margin") else { return };
    let of_headline = margins(node, design, problems);
    if design.gate.is_some() && of_headline {
        let problem = node.refuse(DesignSlip::TwoMargins);
        problems.push(problem.hint(Advice::GateReplacesMargin));
    }
}

/// Reads the keys of the stage at a fixed rate.
fn latency(table: &mut Table<'_>, design: &mut Design, problems: &mut Vec<Diagnostic>) {
    if let Some(pairs) = table.read("latency_pairs", problems, |node| even_pairs(node, 0)) {
        (design.latency_pairs, design.tune_latency) = (pairs, false);
    }
    let no_stage = design.latency_pairs == 0;
    let pacing = table.read("pace", problems, |node| {
        let pacing = node.one_of(&Pacing::ALL, Pacing::id)?;
        if no_stage {
            return Err(without_fixed_rate(node, "pace"));
        }
        Ok(pacing)
    });
    if let Some(pacing) = pacing {
        design.pacing = pacing;
        if design.tune_latency {
            design.latency_pairs = design.usual_latency_pairs();
        }
    }
    table.set("latency_slice", &mut design.latency_slice, problems, duration_between(0.1, 600.0));
    design.latency_rate = table.read("latency_rate", problems, Node::rate).or(design.latency_rate);
    if let Some(node) = table.get("curve") {
        match node.boolean() {
            Ok(true) if no_stage => problems.push(without_fixed_rate(node, "curve")),
            Ok(curve) => design.curve = Some(curve),
            Err(problem) => problems.push(problem.about("curve")),
        }
    }
}

/// Refuses a key of the stage at a fixed rate where there is no such stage.
fn without_fixed_rate(node: &Node, key: &'static str) -> Diagnostic {
    node.refuse(DesignSlip::WithoutFixedRate(key)).hint(Advice::AtLeastTwoPairs)
}

/// Returns a reader of durations from `low` to `high` seconds.
pub(in crate::experiment) fn duration_between(
    low: f64,
    high: f64,
) -> impl Fn(&Node) -> Result<Nanos, Diagnostic> + Copy {
    move |node| {
        let span = node.duration()?;
        let inside = (low..=high).contains(&span.as_secs_f64());
        if inside {
            return Ok(span);
        }
        let expected = ExpectedValue::Between { least: format!("{low} s"), most: format!("{high} s") };
        Err(node.outside(expected, format!("{} s", span.as_secs_f64())))
    }
}

fn baseline(node: &Node, names: &[&str]) -> Result<usize, Diagnostic> {
    let name = node.text()?;
    names.iter().position(|candidate| *candidate == name).ok_or_else(|| {
        let hint = Hint::listed(Listing::Arms, names.iter().copied());
        node.refuse(NameSlip::UnknownArm(name.to_owned())).hint(hint)
    })
}

/// Reads a measure; a message names `known`.
pub(in crate::experiment) fn measure_among(node: &Node, known: &[Measure]) -> Result<Measure, Diagnostic> {
    let id = node.text()?;
    Measure::from_id(id).ok_or_else(|| {
        let hint = Hint::listed(Listing::Measures, known.iter().map(|measure| measure.id()));
        node.refuse(NameSlip::UnknownMeasure(id.to_owned())).hint(hint)
    })
}

fn measure(node: &Node, design: &Design) -> Result<Measure, Diagnostic> {
    let measure = measure_among(node, &Measure::USUAL)?;
    match design.why_not_measured(measure) {
        None => Ok(measure),
        Some((why, hint)) => Err(node.refuse(why).hint(hint)),
    }
}

/// Reads the measures in which arms are compared on request.
fn also(node: &Node, design: &Design) -> Result<Vec<Measure>, Diagnostic> {
    node.list()?.iter().map(|node| measure(node, design)).collect()
}

/// Reads an even number of pairs, which make quads, or 1 for a single row: drift does not cancel in that, but a row may
/// take minutes.
fn pairs_or_a_row(node: &Node) -> Result<u32, Diagnostic> {
    match node.value {
        Value::Integer(1) => Ok(1),
        _ => even_pairs(node, 1),
    }
}

fn even_pairs(node: &Node, least: u64) -> Result<u32, Diagnostic> {
    let pairs = node.integer(least..=MOST_PAIRS)?;
    if pairs % 2 == 1 {
        return Err(node.refuse(DesignSlip::OddPairs).hint(Advice::EvenPairs));
    }
    Ok(pairs as u32)
}

/// Reads one margin for the headline, or a table of margins by measure. Returns whether the headline has got one.
fn margins(node: &Node, design: &mut Design, problems: &mut Vec<Diagnostic>) -> bool {
    let headline = design.headline.one();
    if !matches!(node.value, Value::Table(_)) {
        match node.share() {
            Ok(margin) => design.set_headline_margin(margin),
            Err(problem) => problems.push(problem.about("margin").hint(Advice::MarginForms)),
        }
        return true;
    }
    let mut of_headline = false;
    if let Ok(mut table) = Table::open(node, TableName::Key("`margin`")) {
        for measure in Measure::ALL {
            if let Some(margin) = table.read(measure.id(), problems, Node::share) {
                design.margins[measure] = margin;
                of_headline |= Some(measure) == headline;
            }
        }
        table.finish(problems);
    }
    of_headline
}
