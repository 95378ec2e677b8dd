//! `[require]`: what an arm has to hold, so that a build fails where it does not.
//!
//! What is required of the headline against the baseline is the gate of the design: it decides when to stop.

use crate::diagnostic::{Diagnostic, near_or};
use crate::experiment::design::Design;
use crate::measure::Measure;
use crate::node::{Node, Value};
use crate::slip::{
    Advice, DesignSlip, ExpectedValue, Hint, Listing, NameSlip, RequirementSlip, Slip, TableName,
};
use crate::values;
use serde::{Deserialize, Serialize};

/// Something that an arm has to hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Requirement {
    /// Of this arm; `None` is every arm but the baseline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arm: Option<String>,
    /// Of what.
    pub subject: Subject,
    /// How much.
    pub bound: Bound,
}

/// What a bound is put on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// A measure.
    Measure(Measure),
    /// Requests that were not answered rightly, as a share of those that ended.
    Errors,
}

/// What has to hold, in the unit of `report.json`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bound {
    /// Not worse than the baseline by more than this share: 0.03 = 3 %.
    NotWorse(f64),
    /// Less than this.
    Below(f64),
    /// More than this.
    Above(f64),
}

impl Subject {
    const ERRORS: &str = "errors";

    /// The name in files and `report.json`.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Measure(measure) => measure.id(),
            Self::Errors => Self::ERRORS,
        }
    }

    /// What a reader sees.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Measure(measure) => measure.title(),
            Self::Errors => Self::ERRORS,
        }
    }

    /// The subject of that [`Subject::id`].
    pub fn from_id(id: &str) -> Option<Self> {
        match id {
            Self::ERRORS => Some(Self::Errors),
            id => Measure::from_id(id).map(Self::Measure),
        }
    }

    const fn more_is_better(self) -> bool {
        matches!(self, Self::Measure(measure) if measure.more_is_better())
    }

    /// A bound of it as a user would write one.
    const fn example(self) -> &'static str {
        match self {
            Self::Measure(Measure::Throughput | Measure::Capacity | Measure::MaxRate) => "> 1000/s",
            Self::Measure(Measure::CpuPerRequest) => "< 50us",
            Self::Measure(Measure::PeakMemory) => "< 512M",
            Self::Measure(Measure::StartUp) => "< 3s",
            Self::Measure(_) => "< 20ms",
            Self::Errors => "< 0.01%",
        }
    }
}

/// What is known of the experiment when its requirements are read.
pub(crate) struct Context<'a> {
    /// The names of all arms of the file.
    pub(crate) all: &'a [String],
    /// How many of them this profile has.
    pub(crate) kept: usize,
    /// The name of the baseline.
    pub(crate) baseline: &'a str,
    /// Whose gate a requirement of the headline becomes.
    pub(crate) design: &'a mut Design,
}

/// Reads the table. What is asked of the headline against the baseline goes into the design, as its gate.
pub(crate) fn read(
    node: &Node,
    context: &mut Context<'_>,
    problems: &mut Vec<Diagnostic>,
) -> Vec<Requirement> {
    let Value::Table(entries) = &node.value else {
        problems.push(node.expected(ExpectedValue::Table(TableName::Key("[require]"))));
        return Vec::new();
    };
    let mut found = Vec::new();
    for (name, value) in entries {
        let Value::Text(key) = &name.value else { continue };
        match (&value.value, Subject::from_id(key)) {
            (_, Some(subject)) => bounds((value, subject, None), context, problems, &mut found),
            (Value::Table(own), None) if context.all.contains(key) => {
                for (name, value) in own {
                    let Value::Text(id) = &name.value else { continue };
                    match Subject::from_id(id) {
                        Some(subject) => bounds((value, subject, Some(key)), context, problems, &mut found),
                        None => problems.push(unknown(name, id, &[])),
                    }
                }
            }
            _ => problems.push(unknown(name, key, context.all)),
        }
    }
    found
}

/// A key that is neither a measure nor, where these are welcome, an arm.
fn unknown(name: &Node, key: &str, arms: &[String]) -> Diagnostic {
    let ids = Measure::USUAL.map(Measure::id);
    let known = || ids.iter().copied().chain([Subject::ERRORS]);
    let all = known().chain(arms.iter().map(String::as_str));
    let hint = near_or(key, all, || match arms {
        [] => Hint::listed(Listing::Measures, known()),
        arms => Hint::MeasuresOrArms {
            measures: known().map(str::to_owned).collect(),
            arms: arms.to_vec(),
        },
    });
    name.refuse(NameSlip::NothingToRequire(key.to_owned())).hint(hint)
}

/// One bound, or a list of them.
fn bounds(
    (node, subject, arm): (&Node, Subject, Option<&String>),
    context: &mut Context<'_>,
    problems: &mut Vec<Diagnostic>,
    found: &mut Vec<Requirement>,
) {
    let all = match &node.value {
        Value::List(items) => items.as_slice(),
        _ => std::slice::from_ref(node),
    };
    for node in all {
        let read = bound(node, subject, context.design)
            .and_then(|(bound, given)| settle(node, (subject, bound, given), arm, context));
        match read {
            Ok(requirement) => found.extend(requirement),
            Err(problem) => problems.push(problem.about(subject.id())),
        }
    }
}

/// What a bound says, and whether it names its own share.
fn bound(node: &Node, subject: Subject, design: &Design) -> Result<(Bound, bool), Diagnostic> {
    let text = node.text()?.trim();
    let relative = ["not slower than baseline", "not worse than baseline"];
    if let Some(rest) = relative.iter().find_map(|words| text.strip_prefix(words)) {
        let Subject::Measure(measure) = subject else {
            let hint = Hint::write(format!("errors = \"{}\"", subject.example()));
            return Err(node.refuse(RequirementSlip::RelativeErrors).hint(hint));
        };
        return match rest.trim() {
            "" => Ok((Bound::NotWorse(design.margins[measure as usize]), false)),
            by => {
                let not_understood = || RequirementSlip::NotUnderstood(by.to_owned()).into();
                let share = by.strip_prefix("by").ok_or_else(not_understood);
                let share = share.and_then(|by| values::share(by.trim()).map_err(Slip::from));
                let examples = [
                    "\"not slower than baseline\"",
                    "\"not slower than baseline by 3%\"",
                ];
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
    let (below, amount) = match (text.strip_prefix('<'), text.strip_prefix('>')) {
        (Some(amount), _) => (true, amount.trim()),
        (_, Some(amount)) => (false, amount.trim()),
        _ => {
            let slip = RequirementSlip::NotARequirement(text.to_owned());
            return Err(node.refuse(slip).hint(hint));
        }
    };
    if below == subject.more_is_better() {
        let slip = match below {
            true => RequirementSlip::UpperBound(text.to_owned()),
            false => RequirementSlip::LowerBound(text.to_owned()),
        };
        let hint = Hint::write(format!("{} = \"{}\"", subject.id(), subject.example()));
        return Err(node.refuse(slip).hint(hint));
    }
    let amount = self::amount(subject, amount).map_err(|slip| node.refuse(slip).hint(hint))?;
    Ok((
        if below {
            Bound::Below(amount)
        } else {
            Bound::Above(amount)
        },
        true,
    ))
}

/// An amount in the unit of its subject. A bare number of seconds would most likely be meant as milliseconds.
fn amount(subject: Subject, text: &str) -> Result<f64, Slip> {
    let rate = |measure| {
        matches!(
            measure,
            Measure::Throughput | Measure::Capacity | Measure::MaxRate
        )
    };
    let rate = matches!(subject, Subject::Measure(measure) if rate(measure));
    if text.parse::<f64>().is_ok() && !rate {
        return Err(RequirementSlip::NoUnit(text.to_owned()).into());
    }
    let found = match subject {
        Subject::Errors => values::share(text)?,
        Subject::Measure(_) if rate => values::rate(text)?.0,
        Subject::Measure(Measure::PeakMemory) => values::size(text)?.0 as f64,
        Subject::Measure(_) => values::duration(text)?.as_secs_f64(),
    };
    match found > 0.0 {
        true => Ok(found),
        false => Err(RequirementSlip::ZeroLimit.into()),
    }
}

/// Where a requirement goes: to the list, or, as the gate, into the design.
fn settle(
    node: &Node,
    (subject, bound, given): (Subject, Bound, bool),
    arm: Option<&String>,
    context: &mut Context<'_>,
) -> Result<Option<Requirement>, Diagnostic> {
    let design = &mut *context.design;
    let of_baseline = arm.is_some_and(|arm| arm == context.baseline);
    if let Subject::Measure(measure) = subject
        && let Some((why, hint)) = design.lacks(measure)
    {
        return Err(node.refuse(why).hint(hint));
    }
    let Bound::NotWorse(loss) = bound else {
        return Ok(Some(Requirement {
            arm: arm.cloned(),
            subject,
            bound,
        }));
    };
    if of_baseline {
        return Err(node.refuse(RequirementSlip::OfTheBaseline));
    }
    if subject != Subject::Measure(design.headline) {
        return Ok(Some(Requirement {
            arm: arm.cloned(),
            subject,
            bound,
        }));
    }
    if arm.is_some() && context.kept > 2 {
        return Err(node
            .refuse(RequirementSlip::GateOfOneArm)
            .hint(Advice::InRequireItself));
    }
    if design.gate.is_some() {
        return Err(node.refuse(RequirementSlip::GateTwice).hint(Advice::LeaveOneOut));
    }
    let headline = design.headline;
    let margin = design.margins[headline as usize];
    if given && margin != headline.default_margin() && margin != loss {
        return Err(node
            .refuse(DesignSlip::TwoMargins)
            .hint(Advice::NoMarginOfHeadline));
    }
    design.gate = Some(loss);
    Ok(None)
}
