//! `find` in `[load]`: a search for a capacity or for a highest rate, in the place of a comparison at given loads.

use crate::diagnostic::Diagnostic;
use crate::node::{Node, Table, Value};
use crate::slip::{Advice, DesignSlip, Hint, RequirementSlip, Slip};
use crate::values;
use model::measure::Measure;
use model::units::{Nanos, Share};
use serde::{Deserialize, Serialize};

/// Fewest numbers of users that a curve can be fitted to (stats::usl).
pub(super) const FEWEST: usize = 6;
/// Most users where the file gives no number.
const MOST: usize = 1024;

/// Keys of `[design]` that ask for the stage at a fixed rate, which a search does not have.
pub(super) const STAGE_KEYS: [&str; 5] = ["latency_pairs", "latency_rate", "latency_slice", "curve", "pace"];

/// What an experiment searches for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Find {
    /// The highest throughput, with more and more users.
    Capacity(Steps),
    /// The highest rate that keeps an objective.
    MaxRate(Objective),
}

/// Where the steps of a capacity curve come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Steps {
    /// prony chooses them, and the first start ends them where throughput no longer grows.
    Chosen,
    /// The file lists them.
    Given,
}

/// The limit of the response time that a rate has to keep.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Objective {
    /// A percentile of the response time.
    pub measure: Measure,
    /// The percentile has to stay below this.
    pub limit: Nanos,
}

impl Objective {
    /// Returns it as a file writes it: `response_p99 < 20ms`.
    pub fn text(&self) -> String {
        let millis = self.limit.as_secs_f64() * 1e3;
        format!("{} < {millis}ms", self.measure.id())
    }

    /// Returns the share of the requests that may take longer.
    pub fn allowed(&self) -> Share {
        // By whole thousandths, so that 0.99 leaves 0.01 and no number beside it.
        let quantile = self.measure.quantile().unwrap_or(1.0);
        Share((1000.0 - (1000.0 * quantile).round()) / 1000.0)
    }
}

impl Find {
    /// Returns the measure that arms are compared by.
    pub const fn measure(&self) -> Measure {
        match self {
            Self::Capacity(_) => Measure::Capacity,
            Self::MaxRate(_) => Measure::MaxRate,
        }
    }

    /// The name in files.
    pub const fn id(&self) -> &'static str {
        match self {
            Self::Capacity(_) => FindKind::Capacity.id(),
            Self::MaxRate(_) => FindKind::MaxRate.id(),
        }
    }
}

/// The values of the key `find`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FindKind {
    Capacity,
    MaxRate,
}

impl FindKind {
    const ALL: [Self; 2] = [Self::Capacity, Self::MaxRate];

    const fn id(self) -> &'static str {
        match self {
            Self::Capacity => "capacity",
            Self::MaxRate => "max-rate",
        }
    }
}

const EXAMPLE: &str = "objective = \"response_p99 < 20ms\"";

/// Reads `find` and `objective`; where they are absent, `find` stays as it is. A search for a capacity turns `connections`
/// into its steps.
pub(super) fn read(
    table: &mut Table<'_>,
    problems: &mut Vec<Diagnostic>,
    connections: &mut Vec<usize>,
    find: Option<Find>,
) -> Option<Find> {
    let kind = table.read("find", problems, |node| node.one_of(&FindKind::ALL, FindKind::id));
    let asked = table.get("find").map(|node| node.span.clone());
    let aim = table.get("objective");
    let objective = table.read("objective", problems, objective);
    let given = table.get("connections");
    let before = find.map(|find| match find {
        Find::Capacity(_) => FindKind::Capacity,
        Find::MaxRate(_) => FindKind::MaxRate,
    });
    match kind.or(before) {
        None => {
            if let (Some(aim), None) = (aim, &asked) {
                let problem = aim.refuse(DesignSlip::ObjectiveWithoutFind);
                problems.push(problem.hint(Advice::AddMaxRate));
            }
            None
        }
        Some(FindKind::Capacity) => {
            if let Some(aim) = aim {
                let problem = aim.refuse(DesignSlip::ObjectiveOfCapacity);
                problems.push(problem.hint(Advice::NoObjective));
            }
            Some(Find::Capacity(steps(given, connections, find, problems)))
        }
        Some(FindKind::MaxRate) => {
            refuse_levels(given, problems);
            let earlier = find.and_then(|find| match find {
                Find::MaxRate(objective) => Some(objective),
                Find::Capacity(_) => None,
            });
            if aim.is_none() && earlier.is_none() {
                let problem = Diagnostic::new(asked.unwrap_or(0..0), DesignSlip::NoObjective);
                problems.push(problem.hint(Hint::write(EXAMPLE)));
            }
            objective.or(earlier).map(Find::MaxRate)
        }
    }
}

/// Puts the steps of a capacity curve into `connections`: those that the file lists, or our own up to its number.
fn steps(
    given: Option<&Node>,
    connections: &mut Vec<usize>,
    find: Option<Find>,
    problems: &mut Vec<Diagnostic>,
) -> Steps {
    let Some(node) = given else {
        if let Some(Find::Capacity(steps)) = find {
            return steps;
        }
        *connections = grid(MOST);
        return Steps::Chosen;
    };
    let listed = matches!(node.value, Value::List(_));
    if let (false, [most]) = (listed, connections.as_slice()) {
        *connections = grid(*most);
    }
    if connections.len() < FEWEST {
        let problem = node.refuse(DesignSlip::FewLevels(connections.len()));
        problems.push(problem.hint(Hint::LevelsOfCurve(FEWEST)));
    }
    match listed {
        true => Steps::Given,
        false => Steps::Chosen,
    }
}

/// Returns 1, 2, 3, 4, 6, 8, 12 … up to `most`: after 2, each step adds a third or a half.
pub(super) fn grid(most: usize) -> Vec<usize> {
    let powers = (1..).map(|power| 1_usize << power);
    let pairs = powers.flat_map(|power| [power, power + power / 2]);
    std::iter::once(1).chain(pairs).take_while(|users| *users <= most).collect()
}

/// Refuses several levels in a search for a rate, which has one number of connections.
fn refuse_levels(given: Option<&Node>, problems: &mut Vec<Diagnostic>) {
    let Some(node) = given else { return };
    if matches!(&node.value, Value::List(items) if items.len() > 1) {
        let problem = node.refuse(DesignSlip::LevelsOfMaxRate);
        problems.push(problem.hint(Advice::OneNumber));
    }
}

/// Reads an objective: `response_p99 < 20ms`.
fn objective(node: &Node) -> Result<Objective, Diagnostic> {
    let text = node.text()?;
    let wrong = |slip: Slip| node.refuse(slip).hint(Hint::write(EXAMPLE));
    let Some((name, limit)) = text.split_once('<') else {
        return Err(wrong(RequirementSlip::NotAnObjective(text.to_owned()).into()));
    };
    let (name, limit) = (name.trim(), limit.trim());
    let measure = Measure::from_id(name).filter(|measure| measure.at_a_rate());
    let Some(measure) = measure else {
        return Err(wrong(RequirementSlip::NotAPercentile(name.to_owned()).into()));
    };
    if limit.parse::<f64>().is_ok() {
        return Err(wrong(RequirementSlip::NoUnit(limit.to_owned()).into()));
    }
    let limit = values::duration(limit).map_err(|bad| wrong(bad.into()))?;
    match limit {
        Nanos(0) => Err(wrong(RequirementSlip::ZeroLimit.into())),
        limit => Ok(Objective { measure, limit }),
    }
}

/// Refuses keys of `[design]` for the stage at a fixed rate, which a search does not have.
pub(super) fn refuse_fixed_rate(design: &Node, find: Find, problems: &mut Vec<Diagnostic>) {
    let Value::Table(entries) = &design.value else {
        return;
    };
    for (name, _) in entries {
        let Value::Text(key) = &name.value else { continue };
        // The probes of a rate are as long as slices at a fixed rate.
        let has_slices = matches!(find, Find::MaxRate(_));
        let mut refused = STAGE_KEYS.iter().filter(|key| !(has_slices && **key == "latency_slice"));
        if let Some(key) = refused.find(|stage_key| *stage_key == key) {
            let problem = name.refuse(DesignSlip::NoFixedRate(find.id()));
            problems.push(problem.hint(Hint::LeaveOut(key)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_is_a_third_or_a_half_more() {
        assert_eq!(grid(64), [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64]);
        assert_eq!(grid(8).len(), FEWEST);
    }
}
