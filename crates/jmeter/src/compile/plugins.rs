//! Compiles thread groups of widespread plug-ins.

use super::Compiler;
use super::groups::{Coming, seconds};
use crate::obstacle::{ObstacleKind, Unsupported};
use crate::tree::{Object, Property};
use model::units::{Nanos, Rate};
use traffic::plan::Stage;
use traffic::scenario::{GroupArrivals, UserWave};

/// A plan starts at most this many users one by one.
const MOST_USERS: f64 = 100_000.0;
/// At most this many sessions run at the same time.
const MOST_SESSIONS: f64 = 10_000.0;

impl Compiler<'_> {
    /// Returns the rows of a table of numbers; `None` if one is not known before the load starts, which is refused.
    pub(super) fn rows(&mut self, object: &Object, key: &str) -> Option<Vec<Vec<f64>>> {
        let rows: Vec<Vec<String>> = object.list(key).iter().map(cells).collect();
        let mut found = Vec::new();
        for row in &rows {
            let mut numbers = Vec::new();
            for cell in row {
                let compound = self.parsed(object, cell);
                let text = self.fixed(&compound);
                // The plug-in takes an empty cell for 0.
                let number =
                    text.and_then(|text| if text.is_empty() { Some(0.0) } else { text.trim().parse().ok() });
                let Some(number) = number else {
                    let what = ObstacleKind::NotFixed { property: key.to_owned(), text: cell.clone() };
                    self.refuse(object, what);
                    return None;
                };
                numbers.push(number);
            }
            found.push(numbers);
        }
        Some(found)
    }

    /// Each row is a wave: users, delay, time to start, time to hold, time to stop.
    pub(super) fn ultimate(&mut self, object: &Object) -> Option<Coming> {
        let rows = self.rows(object, "ultimatethreadgroupdata")?;
        let wave = |row: &Vec<f64>| {
            let at = |column: usize| row.get(column).copied().unwrap_or(0.0);
            UserWave {
                users: at(0).max(0.0) as u64,
                delay: seconds(at(1)),
                ramp: seconds(at(2)),
                duration: Some(seconds(at(2) + at(3))),
                ramp_down: seconds(at(4)),
            }
        };
        self.coming(object, rows.iter().map(wave).collect())
    }

    fn coming(&mut self, object: &Object, waves: Vec<UserWave>) -> Option<Coming> {
        let iterations = self.iterations(object)?;
        Some(Coming { arrivals: GroupArrivals::Users(waves), iterations })
    }

    /// Users come in steps, stay for a time and leave in steps; the formulas are the plug-in's.
    pub(super) fn stepping(&mut self, object: &Object) -> Option<Coming> {
        let users = self.fixed_number(object, "ThreadGroup.num_threads", 0.0)?.clamp(0.0, MOST_USERS);
        let or_all = |count: f64| if count <= 0.0 { users } else { count };
        let step = or_all(self.fixed_number(object, "Start users count", 0.0)?);
        let leaving = or_all(self.fixed_number(object, "Stop users count", 0.0)?);
        let burst = self.fixed_number(object, "Start users count burst", 0.0)?.min(users);
        let burst = if burst <= 0.0 { step } else { burst };
        let delay = self.fixed_number(object, "Threads initial delay", 0.0)?;
        let ramp = self.fixed_number(object, "rampUp", 0.0)?;
        let period = self.fixed_number(object, "Start users period", 0.0)? + ramp;
        let flight = self.fixed_number(object, "flighttime", 0.0)?;
        let leaving_period = self.fixed_number(object, "Stop users period", 0.0)?;
        let steps = if users < burst { 1.0 } else { ((users - burst) / step).ceil() };
        let rest = if users < burst { step } else { (users - burst) % step };
        let last = if rest == 0.0 { step } else { rest };
        let descent = delay + steps * period + ramp / step * last + flight;
        let wave = |user: u64| {
            let user = user as f64;
            let (bucket, size) =
                if user < burst { (0.0, burst) } else { (1.0 + ((user - burst) / step).floor(), step) };
            let start = delay + bucket * period + (user % size) * (ramp / size);
            let end = descent + leaving_period * (user / leaving).floor();
            UserWave {
                users: 1,
                delay: seconds(start),
                ramp: Nanos(0),
                duration: Some(seconds(end - start)),
                ramp_down: Nanos(0),
            }
        };
        let waves = (0..users as u64).map(wave).collect();
        self.coming(object, waves)
    }

    /// Reads an Arrivals Thread Group: sessions begin evenly at a rate that rises in steps or steadily, and stays for a time.
    pub(super) fn arrivals(&mut self, object: &Object) -> Option<Coming> {
        let unit = if object.text("Unit").trim() == "S" { 1.0 } else { 60.0 };
        let target = self.fixed_number(object, "TargetLevel", 0.0)?.max(0.0) / unit;
        let ramp = self.fixed_number(object, "RampUp", 0.0)? * unit;
        let hold = self.fixed_number(object, "Hold", 0.0)? * unit;
        let steps = self.fixed_number(object, "Steps", 0.0)?.floor();
        let most = self.fixed_number(object, "ConcurrencyLimit", MOST_SESSIONS)?;
        let most = if most > 0.0 { most.min(MOST_SESSIONS) } else { MOST_SESSIONS };
        let stage = |from: f64, to: f64, length: f64| Stage {
            from: Rate(from),
            to: Rate(to),
            length: seconds(length),
        };
        let mut stages = match steps {
            steps if steps > 0.0 && ramp > 0.0 => (1..=steps as u32)
                .map(|step| target * f64::from(step) / steps)
                .map(|rate| stage(rate, rate, ramp / steps))
                .collect(),
            _ if ramp > 0.0 => vec![stage(0.0, target, ramp)],
            _ => Vec::new(),
        };
        if hold > 0.0 {
            stages.push(stage(target, target, hold));
        }
        if stages.is_empty() {
            self.refuse(object, ObstacleKind::Setting(Unsupported::NoDuration));
            return None;
        }
        let arrivals = GroupArrivals::Sessions { stages, poisson: false, most: most as usize };
        Some(Coming { arrivals, iterations: Some(1) })
    }

    /// Reads a Concurrency Thread Group: users come evenly or in steps until there are enough, stay for a time, and leave together.
    pub(super) fn concurrency(&mut self, object: &Object) -> Option<Coming> {
        let unit = if object.text("Unit").trim() == "S" { 1.0 } else { 60.0 };
        let users = self.fixed_number(object, "TargetLevel", 0.0)?.clamp(0.0, MOST_USERS);
        let ramp = self.fixed_number(object, "RampUp", 0.0)? * unit;
        let hold = self.fixed_number(object, "Hold", 0.0)? * unit;
        let steps = self.fixed_number(object, "Steps", 0.0)?.floor();
        let limit = self.fixed_number(object, "Iterations", 0.0)?;
        let start = |user: f64| match steps {
            steps if steps > 0.0 => (user / (users / steps)).floor() * (ramp / steps),
            _ => user * ramp / users.max(1.0),
        };
        let wave = |user: u64| UserWave {
            users: 1,
            delay: seconds(start(user as f64)),
            ramp: Nanos(0),
            duration: Some(seconds(ramp + hold - start(user as f64))),
            ramp_down: Nanos(0),
        };
        Some(Coming {
            arrivals: GroupArrivals::Users((0..users as u64).map(wave).collect()),
            iterations: (limit > 0.0).then_some(limit as u64),
        })
    }
}

fn cells(row: &Property) -> Vec<String> {
    row.list().iter().map(|cell| cell.text().to_owned()).collect()
}
