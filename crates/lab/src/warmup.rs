//! The warm-up gate (method: cut every start by the same rule; a wrong gate costs power, never validity).

use model::units::Nanos;

/// What one slice of warm-up showed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WarmSlice {
    /// Server CPU per right answer, seconds.
    pub(crate) cpu_per_request: f64,
    /// CPU of the arms that were not loaded, as a share of one core: their compilers at work.
    pub(crate) idle_arms_cpu: f64,
    /// Right answers.
    pub(crate) ok: u64,
    /// Length of the slice, settling included.
    pub(crate) length: Nanos,
}

/// Slices of each arm that have to look steady. Where other jobs share the machine, CPU per request varies by 13 % from
/// slice to slice: over four slices a slope of 3 % could then be told from none only by luck.
const LOOK_BACK: usize = 6;
/// Largest slope of ln(CPU per request), per slice.
const SLOPE: f64 = 0.03;
/// Largest shift between the medians of the earlier and the later half of those slices; one slow slice is no shift.
const SHIFT: f64 = 0.15;
/// Requests each arm has to have served: enough for its hot code to be compiled.
const REQUESTS: u64 = 20_000;

/// Decides when the arms of a round are warm.
#[derive(Debug)]
pub(crate) struct Gate {
    arms: Vec<Vec<WarmSlice>>,
    least: Nanos,
    most: Nanos,
}

impl Gate {
    /// Every arm gets between `least` and `most` of its own load.
    pub(crate) fn new(arms: usize, least: Nanos, most: Nanos) -> Self {
        Self {
            arms: vec![Vec::new(); arms],
            least,
            most: most.max(least),
        }
    }

    /// A slice of warm-up ended.
    pub(crate) fn push(&mut self, arm: usize, slice: WarmSlice) {
        self.arms[arm].push(slice);
    }

    /// Own load of an arm so far.
    pub(crate) fn own_load(&self, arm: usize) -> Nanos {
        self.arms[arm]
            .iter()
            .fold(Nanos(0), |sum, slice| sum + slice.length)
    }

    /// Every arm is steady.
    pub(crate) fn open(&self) -> bool {
        (0..self.arms.len()).all(|arm| self.own_load(arm) >= self.least && steady(&self.arms[arm]))
    }

    /// Every arm has had all the warm-up there is.
    pub(crate) fn exhausted(&self) -> bool {
        (0..self.arms.len()).all(|arm| self.own_load(arm) >= self.most)
    }

    /// How far the gate is at least, 0 to 1, for the progress line.
    pub(crate) fn progress(&self) -> f64 {
        let least = self.least.as_secs_f64().max(1e-9);
        let done = (0..self.arms.len()).map(|arm| self.own_load(arm).as_secs_f64() / least);
        done.fold(1.0, f64::min)
    }
}

fn steady(slices: &[WarmSlice]) -> bool {
    let ok: u64 = slices.iter().map(|slice| slice.ok).sum();
    let Some(last) = slices.len().checked_sub(LOOK_BACK).map(|at| &slices[at..]) else {
        return false;
    };
    if ok < REQUESTS || last.iter().any(|slice| slice.ok == 0) {
        return false;
    }
    let idle = last.iter().map(|slice| slice.idle_arms_cpu).sum::<f64>() / LOOK_BACK as f64;
    let (earlier, later) = last.split_at(LOOK_BACK / 2);
    let shift = (median(later) / median(earlier)).ln();
    idle < 0.01 && shift.abs() < SHIFT && slope(last).abs() < SLOPE
}

/// Median CPU per request of an odd number of slices.
fn median(slices: &[WarmSlice]) -> f64 {
    let mut values: Vec<f64> = slices.iter().map(|slice| slice.cpu_per_request).collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Least-squares slope of ln(CPU per request) on the slice's number.
fn slope(slices: &[WarmSlice]) -> f64 {
    let n = slices.len() as f64;
    let middle = (n - 1.0) / 2.0;
    let spread: f64 = (0..slices.len()).map(|i| (i as f64 - middle).powi(2)).sum();
    let tilt: f64 = slices
        .iter()
        .enumerate()
        .map(|(i, slice)| (i as f64 - middle) * slice.cpu_per_request.ln())
        .sum();
    tilt / spread
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(cpu_us: f64, idle: f64) -> WarmSlice {
        WarmSlice {
            cpu_per_request: cpu_us * 1e-6,
            idle_arms_cpu: idle,
            ok: 8000,
            length: Nanos::from_millis(500),
        }
    }

    fn gate(slices: &[WarmSlice]) -> Gate {
        let mut gate = Gate::new(2, Nanos::from_secs(4), Nanos::from_secs(10));
        for slice in slices {
            gate.push(0, *slice);
            gate.push(1, *slice);
        }
        gate
    }

    #[test]
    fn a_steady_arm_opens_the_gate_once_it_had_its_seconds() {
        assert!(!gate(&[slice(32.0, 0.001); 7]).open());
        assert!(gate(&[slice(32.0, 0.001); 8]).open());
    }

    #[test]
    fn a_falling_cost_or_a_busy_idle_arm_keeps_it_shut() {
        let falling: Vec<WarmSlice> = (0..8).map(|i| slice(60.0 * 0.93f64.powi(i), 0.001)).collect();
        assert!(!gate(&falling).open());
        assert!(!gate(&[slice(32.0, 0.05); 8]).open());
        let shifted: Vec<WarmSlice> = (0..8)
            .map(|i| slice(if i < 5 { 32.0 } else { 38.0 }, 0.001))
            .collect();
        assert!(!gate(&shifted).open());
    }

    #[test]
    fn one_slow_slice_does_not_keep_it_shut() {
        let mut spike = vec![slice(32.0, 0.001); 8];
        spike[4] = slice(40.0, 0.001);
        assert!(gate(&spike).open());
    }

    #[test]
    fn the_cap_ends_it_and_a_dead_server_never_looks_steady() {
        assert!(gate(&[slice(32.0, 0.05); 20]).exhausted());
        let dead = WarmSlice {
            ok: 0,
            ..slice(32.0, 0.0)
        };
        assert!(!gate(&[dead; 20]).open());
    }
}
