//! [`StepRows`]: what the steps of sessions did so far in the present start at the present load, for the live page.

use super::news::RunHeader;
use model::units::{Nanos, Rate, Seconds};
use record::rounds::SliceRecord;
use serde::Serialize;
use traffic::scenario::StepRecord;

/// The steps of sessions in one start at one load. It begins anew with the first slice of another start or load.
#[derive(Default, Serialize)]
pub(super) struct StepRows {
    round: u32,
    /// The number of users of the closed loop; absent at a fixed rate.
    users: Option<u64>,
    /// Sessions that begin in a second, at a fixed rate.
    rate: Option<Rate>,
    rows: Vec<StepRow>,
    #[serde(skip)]
    level: usize,
    #[serde(skip)]
    arms: Vec<ArmSteps>,
}

/// What an arm did.
#[derive(Clone, Default)]
struct ArmSteps {
    seconds: f64,
    steps: Vec<StepRecord>,
}

/// A step of an arm, as the page shows it.
#[derive(Serialize)]
struct StepRow {
    /// Index of the step among the steps of the header.
    step: usize,
    /// Index of the arm.
    arm: usize,
    /// Right ends per second.
    throughput: f64,
    /// Wrong ends.
    wrong: u64,
    /// Percentiles of the times of the right ends; absent where there are none.
    p50: Option<Seconds>,
    p99: Option<Seconds>,
}

impl StepRows {
    /// Adds a slice; one without steps changes nothing.
    pub(super) fn add(&mut self, header: &RunHeader, slice: &SliceRecord) {
        if slice.steps.is_empty() {
            return;
        }
        if (self.round, self.level, self.rate) != (slice.round, slice.level, slice.rate)
            || self.arms.is_empty()
        {
            let users = header.levels.get(slice.level).copied();
            *self = Self {
                round: slice.round,
                users: users.filter(|_| slice.rate.is_none()),
                rate: slice.rate,
                level: slice.level,
                rows: Vec::new(),
                arms: vec![ArmSteps::default(); header.arms.len()],
            };
        }
        let Some(arm) = self.arms.get_mut(slice.arm) else {
            return;
        };
        arm.seconds += Nanos(slice.elapsed_ns).as_secs_f64();
        arm.steps.resize(slice.steps.len().max(arm.steps.len()), StepRecord::default());
        for (sum, step) in arm.steps.iter_mut().zip(&slice.steps) {
            sum.add(step);
        }
        self.rows = rows(&self.arms, header.steps.len());
    }
}

/// The rows, step by step, with the arms of a step together.
fn rows(arms: &[ArmSteps], steps: usize) -> Vec<StepRow> {
    let row = |step: usize, arm: usize| {
        let of = &arms[arm];
        let record = of.steps.get(step)?;
        let time = |quantile| (record.ok > 0).then(|| record.time_at(quantile));
        Some(StepRow {
            step,
            arm,
            throughput: record.ok as f64 / of.seconds.max(1e-9),
            wrong: record.ended - record.ok,
            p50: time(0.5),
            p99: time(0.99),
        })
    };
    let each = (0..steps).flat_map(|step| (0..arms.len()).map(move |arm| (step, arm)));
    each.filter_map(|(step, arm)| row(step, arm)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use traffic::scenario::ProgramStep;

    fn header() -> RunHeader {
        let step = |name: &str| ProgramStep { name: name.to_owned(), transaction: false, group: None };
        RunHeader {
            arms: vec!["nine".to_owned(), "ten".to_owned()],
            levels: vec![20],
            steps: vec![step("log in"), step("buy")],
            ..RunHeader::default()
        }
    }

    fn slice(round: u32, arm: usize, ok: u64) -> SliceRecord {
        let step =
            |ok: u64| StepRecord { ended: ok + 1, ok, times: vec![(4_000_000, ok)], ..StepRecord::default() };
        SliceRecord {
            round,
            arm,
            elapsed_ns: 500_000_000,
            steps: vec![step(ok), step(2 * ok)],
            ..SliceRecord::default()
        }
    }

    #[test]
    fn slices_of_a_start_add_up_by_step_and_arm_until_the_next_start() {
        let mut steps = StepRows::default();
        for (arm, ok) in [(0, 10), (1, 30), (0, 20)] {
            steps.add(&header(), &slice(1, arm, ok));
        }
        let seen: Vec<_> =
            steps.rows.iter().map(|row| (row.step, row.arm, row.throughput, row.wrong)).collect();
        let all = [(0, 0, 30.0, 2), (0, 1, 60.0, 1), (1, 0, 60.0, 2), (1, 1, 120.0, 1)];
        assert_eq!(seen, all);
        assert_eq!((steps.rows[0].p50, steps.users, steps.rate), (Some(Seconds(0.004)), Some(20), None));
        let at_rate = SliceRecord { rate: Some(Rate(50.0)), ..slice(2, 1, 5) };
        steps.add(&header(), &at_rate);
        assert_eq!((steps.round, steps.users, steps.rate), (2, None, Some(Rate(50.0))));
        let of_arm: Vec<_> = steps.rows.iter().map(|row| (row.arm, row.throughput)).collect();
        assert_eq!(of_arm, [(1, 10.0), (1, 20.0)], "nothing of the start before is left");
    }

    #[test]
    fn plain_requests_have_no_rows() {
        let mut steps = StepRows::default();
        let plain = SliceRecord { steps: Vec::new(), ..slice(1, 0, 10) };
        steps.add(&header(), &plain);
        assert!(steps.rows.is_empty());
    }
}
