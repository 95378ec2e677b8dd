//! `[require]`: requirements on arms. A run in which one of them does not hold fails, and with it a build.
//!
//! A requirement on the headline relative to the baseline is the gate of the design: it decides when to stop.

mod line;
mod steps;

use crate::diagnostic::{Diagnostic, near_or};
use crate::experiment::design::Design;
use crate::node::{Node, Value};
use crate::slip::{
    Advice, DesignSlip, ExpectedValue, Hint, Listing, NameSlip, RequirementSlip, Slip, TableName,
};
pub use crate::subject::Subject;
use crate::values;
pub use line::of_load;
use model::measure::{Measure, MeasureUnit};
use serde::{Deserialize, Serialize};
use traffic::scenario::ProgramStep;

/// A requirement on an arm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Requirement {
    /// The arm; `None` is every arm but the baseline, or the only arm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arm: Option<String>,
    /// The step of the sessions, or the group of steps, that has to meet the requirement: `pay`, or `buyers: pay` where
    /// several kinds of users have a step `pay`. `None` is the whole load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    pub subject: Subject,
    pub bound: Bound,
}

/// A bound, in the unit of `report.json`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// The arm may be worse than the baseline by no more than this share: 0.03 = 3 %.
    NotWorse(f64),
    /// The figure has to be less than this.
    Below(f64),
    /// The figure has to be more than this.
    Above(f64),
}

/// What the requirements of an experiment depend on.
pub(crate) struct Context<'a> {
    /// The names of all arms of the file.
    pub(crate) all: &'a [String],
    /// How many of these arms are in the profile that was asked for.
    pub(crate) kept: usize,
    /// The name of the baseline.
    pub(crate) baseline: &'a str,
    /// The design; a requirement of the headline relative to the baseline becomes its gate.
    pub(crate) design: &'a mut Design,
    /// The steps of the sessions; empty where requests are no sessions.
    pub(crate) steps: &'a [ProgramStep],
}

/// What a bound is about.
#[derive(Clone, Copy)]
struct Target<'a> {
    subject: Subject,
    /// The arm; `None` is every arm but the baseline, or the only arm.
    arm: Option<&'a String>,
    /// The step; `None` is the whole load.
    step: Option<&'a String>,
}

impl Target<'_> {
    fn require(&self, bound: Bound) -> Requirement {
        Requirement { arm: self.arm.cloned(), step: self.step.cloned(), subject: self.subject, bound }
    }
}

/// Reads `[require]`. A requirement of the headline relative to the baseline is not returned, but becomes the gate of the
/// design.
pub(crate) fn read(
    node: &Node,
    context: &mut Context<'_>,
    problems: &mut Vec<Diagnostic>,
) -> Vec<Requirement> {
    let Value::Table(entries) = &node.value else {
        problems.push(node.expected(ExpectedValue::Table(TableName::Key("[require]"))));
        return Vec::new();
    };
    let mut requirements = Vec::new();
    for (name, value) in entries {
        let Value::Text(key) = &name.value else { continue };
        match &value.value {
            Value::Table(own) if Subject::from_id(key).is_none() && context.all.contains(key) => {
                for (name, value) in own {
                    entry(name, value, Some(key), context, problems, &mut requirements);
                }
            }
            _ => entry(name, value, None, context, problems, &mut requirements),
        }
    }
    requirements
}

/// Reads what is required of a measure or of the steps, by an arm or by all.
fn entry(
    name: &Node,
    value: &Node,
    arm: Option<&String>,
    context: &mut Context<'_>,
    problems: &mut Vec<Diagnostic>,
    requirements: &mut Vec<Requirement>,
) {
    let Value::Text(key) = &name.value else { return };
    match Subject::from_id(key) {
        Some(subject) => {
            let target = Target { subject, arm, step: None };
            bounds(value, target, context, problems, requirements);
        }
        None if key == steps::KEY => steps::read(value, arm, context, problems, requirements),
        None => {
            let arms = if arm.is_some() { &[] } else { context.all };
            problems.push(unknown(name, key, arms));
        }
    }
}

/// Says that a key is no measure, and no arm where `arms` can stand there.
fn unknown(name: &Node, key: &str, arms: &[String]) -> Diagnostic {
    let ids = Measure::USUAL.map(Measure::id);
    let known = || ids.iter().copied().chain([Subject::ERRORS]);
    let all = known().chain(arms.iter().map(String::as_str));
    let hint = near_or(key, all, || match arms {
        [] => Hint::listed(Listing::Measures, known()),
        arms => Hint::MeasuresOrArms { measures: known().map(str::to_owned).collect(), arms: arms.to_vec() },
    });
    name.refuse(NameSlip::NothingToRequire(key.to_owned())).hint(hint)
}

/// Reads one bound or a list of them.
fn bounds(
    node: &Node,
    target: Target<'_>,
    context: &mut Context<'_>,
    problems: &mut Vec<Diagnostic>,
    requirements: &mut Vec<Requirement>,
) {
    let all = match &node.value {
        Value::List(items) => items.as_slice(),
        Value::Table(_) => {
            let far = Measure::ResponseP999.id();
            let hint = Hint::write(format!("\"{far}\" = \"{}\"", Measure::ResponseP999.example_bound()));
            let slip = RequirementSlip::NotABound(target.subject.id());
            problems.push(node.refuse(slip).hint(hint));
            return;
        }
        _ => std::slice::from_ref(node),
    };
    for node in all {
        let read = bound(node, target.subject, context.design)
            .and_then(|(bound, explicit)| settle(node, target, bound, explicit, context));
        match read {
            Ok(requirement) => requirements.extend(requirement),
            Err(problem) => problems.push(problem.about(target.subject.id())),
        }
    }
}

/// Reads a bound. The flag says whether its number is in the text; otherwise it is the loss that the design allows.
fn bound(node: &Node, subject: Subject, design: &Design) -> Result<(Bound, bool), Diagnostic> {
    let text = node.text()?.trim();
    let relative = ["not slower than baseline", "not worse than baseline"];
    if let Some(rest) = relative.iter().find_map(|words| text.strip_prefix(words)) {
        let Subject::Measure(measure) = subject else {
            let hint = Hint::write(format!("errors = \"{}\"", subject.example()));
            return Err(node.refuse(RequirementSlip::RelativeErrors).hint(hint));
        };
        return match rest.trim() {
            "" => Ok((Bound::NotWorse(design.allowed_loss(measure)), false)),
            by => {
                let not_understood = || RequirementSlip::NotUnderstood(by.to_owned()).into();
                let share = by.strip_prefix("by").ok_or_else(not_understood);
                let share = share.and_then(|by| values::share(by.trim()).map_err(Slip::from));
                let examples = ["\"not slower than baseline\"", "\"not slower than baseline by 3%\""];
                share
                    .map(|share| (Bound::NotWorse(share), true))
                    .map_err(|slip| node.refuse(slip).hint(Hint::write_one_of(examples)))
            }
        };
    }
    let hint = Hint::Write(vec![
        format!("{} = \"not slower than baseline\"", subject.id()),
        format!("\"{}\"", subject.example()),
    ]);
    match absolute(subject, text) {
        Ok(bound) => Ok((bound, true)),
        Err(Slip::Requirement(slip @ (RequirementSlip::UpperBound(_) | RequirementSlip::LowerBound(_)))) => {
            let hint = Hint::write(format!("{} = \"{}\"", subject.id(), subject.example()));
            Err(node.refuse(slip).hint(hint))
        }
        Err(slip) => Err(node.refuse(slip).hint(hint)),
    }
}

/// Reads `< 20ms` or `> 1000/s`.
fn absolute(subject: Subject, text: &str) -> Result<Bound, Slip> {
    let (below, amount) = match (text.strip_prefix('<'), text.strip_prefix('>')) {
        (Some(amount), _) => (true, amount.trim()),
        (_, Some(amount)) => (false, amount.trim()),
        _ => return Err(RequirementSlip::NotARequirement(text.to_owned()).into()),
    };
    if below == subject.more_is_better() {
        return Err(match below {
            true => RequirementSlip::UpperBound(text.to_owned()).into(),
            false => RequirementSlip::LowerBound(text.to_owned()).into(),
        });
    }
    let amount = self::amount(subject, amount)?;
    Ok(if below { Bound::Below(amount) } else { Bound::Above(amount) })
}

/// Reads an amount in the unit of its subject. Times need a unit, because a bare number would most likely be meant as
/// milliseconds.
fn amount(subject: Subject, text: &str) -> Result<f64, Slip> {
    let unit = subject.measure().map(Measure::unit);
    if text.parse::<f64>().is_ok() && unit != Some(MeasureUnit::PerSecond) {
        return Err(RequirementSlip::NoUnit(text.to_owned()).into());
    }
    let amount = match unit {
        None => values::share(text)?,
        Some(MeasureUnit::PerSecond) => values::rate(text)?.0,
        Some(MeasureUnit::Bytes) => values::size(text)?.0 as f64,
        Some(MeasureUnit::Seconds) => values::duration(text)?.as_secs_f64(),
    };
    match amount > 0.0 {
        true => Ok(amount),
        false => Err(RequirementSlip::ZeroLimit.into()),
    }
}

/// Returns a requirement for the list; one that is the gate goes into the design instead, and `None` is returned.
fn settle(
    node: &Node,
    target: Target<'_>,
    bound: Bound,
    explicit: bool,
    context: &mut Context<'_>,
) -> Result<Option<Requirement>, Diagnostic> {
    let design = &mut *context.design;
    let Target { subject, arm, step } = target;
    let of_baseline = arm.is_some_and(|arm| arm == context.baseline);
    if let Subject::Measure(measure) = subject
        && let Some((why, hint)) = design.why_not_measured(measure)
    {
        return Err(node.refuse(why).hint(hint));
    }
    let Bound::NotWorse(loss) = bound else {
        return Ok(Some(target.require(bound)));
    };
    if of_baseline {
        return Err(node.refuse(RequirementSlip::OfTheBaseline));
    }
    let Some(headline) =
        design.headline.one().filter(|one| step.is_none() && subject == Subject::Measure(*one))
    else {
        return Ok(Some(target.require(bound)));
    };
    if arm.is_some() && context.kept > 2 {
        return Err(node.refuse(RequirementSlip::GateOfOneArm).hint(Advice::InRequireItself));
    }
    if design.gate.is_some() {
        return Err(node.refuse(RequirementSlip::GateTwice).hint(Advice::LeaveOneOut));
    }
    let margin = design.margins[headline];
    if explicit && margin != headline.default_margin() && margin != loss {
        return Err(node.refuse(DesignSlip::TwoMargins).hint(Advice::NoMarginOfHeadline));
    }
    design.set_gate(loss);
    Ok(None)
}
