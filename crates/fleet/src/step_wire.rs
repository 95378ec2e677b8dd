//! What was counted of the steps of sessions, as it is sent: [`StepsWire`]. The times of each step are a binary part of the frame.

use crate::frame::Refused;
use crate::wire::{FaultCounts, bounded, fault_counts, faults, histogram, histogram_bytes};
use load::{Slice, SparseHistogram, StepSlice};
use model::units::Seconds;
use serde::{Deserialize, Serialize};
use traffic::scenario::FirstFailure;

/// The most steps in a delta, so that it fits into a message.
const STEPS: usize = 20;

/// Some of the steps of a slice, in order, without their times.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct StepsWire(Vec<StepWire>);

/// A step without its times.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct StepWire {
    ended: u64,
    ok: u64,
    faults: FaultCounts,
    time_sum: Seconds,
    first_failure: Option<FirstFailure>,
}

impl StepsWire {
    /// Returns the steps of a slice in groups that fit into a message each; with each group the histograms of its steps' times, in the same
    /// order, which are sent as the binary parts of the message.
    pub(crate) fn all_of(slice: &Slice) -> impl Iterator<Item = (Self, Vec<Vec<u8>>)> {
        slice.steps.chunks(STEPS).map(|steps| {
            let times = steps.iter().map(|step| histogram_bytes(&step.times.to_histogram()));
            let wires = steps.iter().map(|step| StepWire {
                ended: step.ended,
                ok: step.ok,
                faults: fault_counts(&step.faults),
                time_sum: step.time_sum,
                first_failure: step.first_failure.clone(),
            });
            (Self(wires.collect()), times.collect())
        })
    }

    /// Returns the steps, with their times from the parts.
    pub(crate) fn read<'a>(
        &self,
        parts: &mut impl Iterator<Item = &'a [u8]>,
    ) -> Result<Vec<StepSlice>, Refused> {
        let mut read = |wire: &StepWire| {
            bounded(&[wire.ended, wire.ok], &[])?;
            if !(wire.time_sum.0.is_finite() && wire.time_sum >= Seconds::ZERO) {
                return Err(Refused::Garbage);
            }
            Ok(StepSlice {
                ended: wire.ended,
                ok: wire.ok,
                faults: faults(&wire.faults)?,
                times: SparseHistogram::from(&histogram(parts.next().ok_or(Refused::Garbage)?)?),
                time_sum: wire.time_sum,
                first_failure: wire.first_failure.clone(),
            })
        };
        self.0.iter().map(&mut read).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use load::Fault;
    use traffic::scenario::StepFailure;

    /// A step that ended so often.
    fn step(ended: u64) -> StepSlice {
        let mut step = StepSlice {
            ended,
            ok: ended - 1,
            times: [(1_000, ended - 1)].into_iter().collect(),
            time_sum: Seconds(1e-6 * ended as f64),
            first_failure: Some(FirstFailure {
                why: StepFailure::Status(500),
                request: "GET /".to_owned(),
                answer: "no".to_owned(),
            }),
            ..StepSlice::default()
        };
        step.faults.add(Fault::Reset);
        step
    }

    #[test]
    fn steps_are_read_back_in_groups() {
        let mut slice = Slice::empty();
        slice.steps = (2..2 * STEPS as u64).map(step).collect();
        let sent: Vec<_> = StepsWire::all_of(&slice).collect();
        assert_eq!(sent.len(), 2);
        let read = sent.iter().flat_map(|(wire, parts)| {
            let mut parts = parts.iter().map(Vec::as_slice);
            wire.read(&mut parts).unwrap()
        });
        let mut read: Vec<StepSlice> = read.collect();
        for (read, sent) in read.iter_mut().zip(&mut slice.steps) {
            // A value stands for all of its cell.
            assert_eq!(read.times.to_histogram(), sent.times.to_histogram());
            (read.times, sent.times) = Default::default();
        }
        assert_eq!(read, slice.steps);
        assert!(sent[0].0.read(&mut std::iter::empty()).is_err());
    }

    #[test]
    fn numbers_that_no_load_has_are_refused() {
        let mut slice = Slice::empty();
        for (ended, time_sum) in [(2, f64::NAN), (2, -1.0), (u64::MAX, 1.0)] {
            slice.steps = vec![StepSlice { time_sum: Seconds(time_sum), ..step(2) }];
            slice.steps[0].ended = ended;
            let (wire, parts) = StepsWire::all_of(&slice).next().unwrap();
            let read = wire.read(&mut parts.iter().map(Vec::as_slice));
            assert_eq!(read, Err(Refused::Garbage));
        }
    }
}
