//! A simulation of measurements on a noisy shared host, as input of the decision code.
//!
//! The log speed of a slice of arm j in round i, when that start has the age `a`, is
//! `F_ij + host(slice) + t5 sS / sqrt(L) - d0 exp(-a / tau_ij) - pos [second of the pair] - effect [arm B]`:
//! the luck of the start, the state of the host, heavy-tailed noise of the slice, warm-up, the disadvantage of the
//! second position, and the effect. Both arms share the host, whose time passes during starts and warm-ups as well.
//! It consists of three Ornstein-Uhlenbeck processes (time constants 0.7, 12 and 300 s) and bursts of other load.
//! The sizes were chosen after 40 rounds of a real Tomcat on a shared machine.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use stats::pairing::{Part, Side, difference};
use std::f64::consts::TAU;

/// Pairs per round.
pub(crate) const PAIRS: usize = 12;
/// Seconds of a slice; the host advances in two steps during it.
const SLICE: f64 = 0.5;
/// Log speed that a start lacks at age 0.
const COLD: f64 = 0.5;
/// Log speed that the second slice of a pair loses to cold caches.
const POSITION: f64 = 0.005;

/// Sizes of the noise on the log scale.
#[derive(Clone, Copy)]
pub(crate) struct Scenario {
    /// Standard deviation from start to start.
    start: f64,
    /// Standard deviation of the host's speed.
    host: f64,
    /// Standard deviation of a slice of one second.
    slice: f64,
    /// Share of the machine that a burst of other load takes.
    burst: f64,
}

/// CPU per request, which the host and other noise hardly affect.
pub(crate) const CPU: Scenario = Scenario { start: 0.01, host: 0.02, slice: 0.015, burst: 0.05 };
/// Throughput on a host with some other load.
pub(crate) const MID: Scenario = Scenario { start: 0.02, host: 0.10, slice: 0.05, burst: 0.30 };

/// A source of random numbers, above all of standard normal ones (Box, Muller 1958).
pub(crate) struct Normals {
    rng: ChaCha8Rng,
    /// The method makes two normal numbers at a time; this is the unused one.
    spare: Option<f64>,
}

impl Normals {
    pub(crate) fn new(seed: u64) -> Self {
        Self { rng: ChaCha8Rng::seed_from_u64(seed), spare: None }
    }

    pub(crate) fn next(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        let (sin, cos) = (TAU * self.uniform()).sin_cos();
        self.spare = Some(radius * sin);
        radius * cos
    }

    /// A uniform number in `(0, 1]`; it is never 0, because its logarithm is taken.
    pub(crate) fn uniform(&mut self) -> f64 {
        1.0 - self.rng.random::<f64>()
    }

    fn toss_coin(&mut self) -> bool {
        self.rng.next_u32() & 1 == 1
    }

    /// A number from Student's t distribution with so many degrees of freedom, more than 2, scaled to variance 1; a normal one for
    /// infinitely many.
    pub(crate) fn with_tails(&mut self, freedom: f64) -> f64 {
        if freedom.is_infinite() {
            return self.next();
        }
        let chi_square: f64 = (0..freedom as u32).map(|_| self.next().powi(2)).sum();
        self.next() / (chi_square / freedom).sqrt() * ((freedom - 2.0) / freedom).sqrt()
    }
}

/// What happens during a step of the host, as an index into [`STEP_SECONDS`].
#[derive(Clone, Copy)]
enum Activity {
    WithinSlice,
    BetweenSlices,
    StartAndWarmUp,
}

/// Seconds of one step of the host, by [`Activity`].
const STEP_SECONDS: [f64; 3] = [0.25, 0.1, 1.0];

/// The coefficients by which the host advances by one step of a certain length.
#[derive(Clone, Copy)]
struct HostStep {
    seconds: f64,
    /// The factor by which the value of each process decays.
    decay: [f64; 3],
    /// The standard deviation of the noise added to each process.
    noise: [f64; 3],
    /// The probability that a burst of other load begins.
    burst_probability: f64,
}

impl HostStep {
    fn new(seconds: f64, host_sd: f64) -> Self {
        // Time constant in seconds, and share of the host's variance.
        let processes = [(0.7, 0.25), (12.0, 0.45), (300.0, 0.30)];
        let decay = processes.map(|(tau, _)| f64::exp(-seconds / tau));
        let noise = processes
            .map(|(tau, share): (f64, f64)| host_sd * (share * -f64::exp_m1(-2.0 * seconds / tau)).sqrt());
        Self { seconds, decay, noise, burst_probability: -f64::exp_m1(-seconds / 40.0) }
    }
}

/// The machine that both arms share.
struct Host {
    steps: [HostStep; 3],
    /// The current value of each process, on the log scale.
    processes: [f64; 3],
    /// Seconds that the current burst of other load will last.
    burst_left: f64,
    /// Share of the machine that a burst takes.
    burst_depth: f64,
}

impl Host {
    fn new(scenario: Scenario, noise: &mut Normals) -> Self {
        let processes = [0.25_f64, 0.45, 0.30].map(|share| scenario.host * share.sqrt() * noise.next());
        let steps = STEP_SECONDS.map(|seconds| HostStep::new(seconds, scenario.host));
        Self { steps, processes, burst_left: 0.0, burst_depth: scenario.burst }
    }

    /// Advances by one step. Returns the speed of the machine during it, relative to its usual speed.
    fn advance(&mut self, activity: Activity, noise: &mut Normals) -> f64 {
        let step = &self.steps[activity as usize];
        for ((value, decay), sd) in self.processes.iter_mut().zip(step.decay).zip(step.noise) {
            *value = *value * decay + sd * noise.next();
        }
        if self.burst_left <= 0.0 && noise.uniform() < step.burst_probability {
            self.burst_left = -4.0 * noise.uniform().ln();
        }
        let covered = self.burst_left.clamp(0.0, step.seconds) / step.seconds;
        self.burst_left -= step.seconds;
        self.processes.iter().sum::<f64>().exp() * (1.0 - self.burst_depth * covered)
    }
}

/// One fresh start of one arm.
struct SimulatedStart {
    /// Log speed of this start when it is warm, relative to other starts.
    speed: f64,
    /// Time constant of the warm-up, seconds.
    warm_up: f64,
    /// Seconds of load so far.
    age: f64,
}

impl SimulatedStart {
    fn new(scenario: Scenario, noise: &mut Normals) -> Self {
        // In 3 % of the starts the JIT compiler makes a bad choice and keeps it for the life of the process.
        let bad_compilation = if noise.uniform() < 0.03 { -0.05 } else { 0.0 };
        let speed = scenario.start * noise.next() + bad_compilation;
        Self { speed, warm_up: 2.0 * (0.3 * noise.next()).exp(), age: 8.0 }
    }
}

/// A simulated run of two arms without a last round.
pub(crate) struct Simulation {
    scenario: Scenario,
    /// The log-ratio by which arm B is slower; 0 for identical arms.
    effect: f64,
    noise: Normals,
    host: Host,
}

impl Simulation {
    pub(crate) fn new(scenario: Scenario, effect: f64, seed: u64) -> Self {
        let mut noise = Normals::new(seed);
        let host = Host::new(scenario, &mut noise);
        Self { scenario, effect, noise, host }
    }

    /// The slices of the next round, which has fresh starts: a row for each pair.
    pub(crate) fn round(&mut self, pair_count: usize) -> Vec<Vec<Part>> {
        let mut starts = [(); 2].map(|()| SimulatedStart::new(self.scenario, &mut self.noise));
        // Each of the two arms takes 1 s to start and 8 s to warm up.
        for _ in 0..18 {
            self.host.advance(Activity::StartAndWarmUp, &mut self.noise);
        }
        let mut rows = Vec::with_capacity(pair_count);
        for _ in 0..pair_count {
            let arm_first = self.noise.toss_coin();
            let mut row = Vec::with_capacity(2);
            for second in [false, true] {
                let side = if arm_first == second { Side::Baseline } else { Side::Arm };
                let x = self.slice(&mut starts[usize::from(side == Side::Arm)], second);
                let x = if side == Side::Arm { x - self.effect } else { x };
                let (answers, spent) = (x.exp(), SLICE);
                row.push(Part { side, answers, spent });
            }
            rows.push(row);
        }
        rows
    }

    /// `D` of each of the next `rounds` rounds.
    pub(crate) fn rounds(&mut self, rounds: usize) -> Vec<f64> {
        (0..rounds).map(|_| difference(&self.round(PAIRS).concat()).expect("slices")).collect()
    }

    /// The log speed of the next slice, which is loaded on `start` as the first or second of its pair.
    fn slice(&mut self, start: &mut SimulatedStart, second: bool) -> f64 {
        self.host.advance(Activity::BetweenSlices, &mut self.noise);
        let halves = [(); 2].map(|()| self.host.advance(Activity::WithinSlice, &mut self.noise));
        let host_speed = (halves[0] + halves[1]) / 2.0;
        let cold = COLD * (-start.age / start.warm_up).exp();
        start.age += 0.6;
        let slice_noise = self.scenario.slice / SLICE.sqrt() * self.noise.with_tails(5.0);
        let position = if second { POSITION } else { 0.0 };
        start.speed + host_speed.ln() + slice_noise - cold - position
    }
}
