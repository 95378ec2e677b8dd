//! Compiles Open Model Thread Groups: sessions that begin at a rate, whatever the server does.

use super::Compiler;
use super::groups::Coming;
use crate::obstacle::{ObstacleKind, Unsupported};
use crate::tree::Object;
use model::units::{Nanos, Rate};
use traffic::plan::Stage;
use traffic::scenario::GroupArrivals;

/// The largest number of sessions that run at the same time. A session that is due while all of these run has to wait.
const MOST_SESSIONS: usize = 10_000;

impl Compiler<'_> {
    pub(super) fn open_model(&mut self, object: &Object) -> Option<Coming> {
        let schedule = self.fixed_text(object, "OpenModelThreadGroup.schedule")?;
        let Some((stages, poisson)) = stages(&schedule) else {
            self.refuse(object, ObstacleKind::Setting(Unsupported::Schedule));
            return None;
        };
        Some(Coming {
            arrivals: GroupArrivals::Sessions { stages, poisson, most: MOST_SESSIONS },
            iterations: Some(1),
        })
    }
}

/// A word of a schedule with what is in its parentheses.
struct Step<'a> {
    name: &'a str,
    argument: &'a str,
}

/// Splits a schedule such as `rate(10/s) random_arrivals(1 min) pause(2 s)`.
fn steps(schedule: &str) -> Option<Vec<Step<'_>>> {
    let mut rest = schedule.trim();
    let mut found = Vec::new();
    while !rest.is_empty() {
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.find('\n').map_or("", |end| &comment[end..]).trim_start();
            continue;
        }
        let (name, behind) = rest.split_once('(')?;
        let (argument, behind) = behind.split_once(')')?;
        found.push(Step { name: name.trim(), argument: argument.trim() });
        rest = behind.trim_start();
    }
    Some(found)
}

/// Returns the stages, and whether gaps are random. Between two rates around arrivals the rate changes evenly.
fn stages(schedule: &str) -> Option<(Vec<Stage>, bool)> {
    let steps = steps(schedule)?;
    let (mut rate, mut stages, mut poisson) = (0.0, Vec::new(), false);
    for (at, step) in steps.iter().enumerate() {
        match step.name {
            "rate" => rate = per_second(step.argument)?,
            "random_arrivals" | "even_arrivals" => {
                poisson |= step.name == "random_arrivals";
                let next = steps.get(at + 1).filter(|next| next.name == "rate");
                let to = match next {
                    Some(next) => per_second(next.argument)?,
                    None => rate,
                };
                stages.push(Stage { from: Rate(rate), to: Rate(to), length: length(step.argument)? });
            }
            "pause" => stages.push(Stage { from: Rate(0.0), to: Rate(0.0), length: length(step.argument)? }),
            _ => return None,
        }
    }
    (!stages.is_empty()).then_some((stages, poisson))
}

/// Parses a rate such as `10/s`, `5 / min` or `100 per hour`; without a unit it is per second, and 0 needs none.
fn per_second(text: &str) -> Option<f64> {
    let (number, unit) = match text.split_once('/').or_else(|| text.split_once(" per ")) {
        Some((number, unit)) => (number, seconds_of(unit.trim())?),
        None => (text, 1.0),
    };
    Some(number.trim().parse::<f64>().ok()? / unit)
}

fn length(text: &str) -> Option<Nanos> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..digits].parse().ok()?;
    Some(super::groups::seconds(number * seconds_of(text[digits..].trim())?))
}

fn seconds_of(unit: &str) -> Option<f64> {
    Some(match unit {
        "ms" => 0.001,
        "" | "s" | "sec" | "second" | "seconds" => 1.0,
        "m" | "min" | "minute" | "minutes" => 60.0,
        "h" | "hour" | "hours" => 3600.0,
        "d" | "day" | "days" => 86_400.0,
        _ => return None,
    })
}
