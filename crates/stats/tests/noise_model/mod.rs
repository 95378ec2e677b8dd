//! The noise of a real host, simulated: what the decision code has to stand up to.
//!
//! Log speed of a slice of arm j in round i, at that arm's own age `a`:
//! `F_ij + host(slice) + t5 sS / sqrt(L) - d0 exp(-a / tau_ij) - pos [second of the pair] - effect [arm B]`.
//! The host is shared by both arms and runs on through starts and warm-ups: three Ornstein-Uhlenbeck
//! processes (0.7, 12 and 300 s) and bursts of other load. Sizes were set after 40 rounds of a real Tomcat on
//! a shared machine.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use stats::pairing::{Side, pairs, round_value};
use std::f64::consts::TAU;

/// Pairs per round.
pub(crate) const PAIRS: usize = 12;
/// Seconds counted in a slice, in two steps of the host.
const SLICE: f64 = 0.5;
/// Log speed that a cold start lacks, and how much of it the second slice of a pair loses to cold caches.
const COLD: f64 = 0.5;
const POSITION: f64 = 0.005;

/// Sizes of the noise, as fractions.
#[derive(Clone, Copy)]
pub(crate) struct Scenario {
    start: f64,
    host: f64,
    slice: f64,
    burst: f64,
}

/// CPU per request: little host, little noise.
pub(crate) const CPU: Scenario = Scenario {
    start: 0.01,
    host: 0.02,
    slice: 0.015,
    burst: 0.05,
};
/// Throughput on a host with some other load.
pub(crate) const MID: Scenario = Scenario {
    start: 0.02,
    host: 0.10,
    slice: 0.05,
    burst: 0.30,
};

/// Standard normal deviates by Box and Muller, in pairs.
pub(crate) struct Normals {
    rng: ChaCha8Rng,
    spare: Option<f64>,
}

impl Normals {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            rng: ChaCha8Rng::seed_from_u64(seed),
            spare: None,
        }
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

    /// Uniform in `(0, 1]`, so that it has a logarithm.
    fn uniform(&mut self) -> f64 {
        1.0 - self.rng.random::<f64>()
    }

    fn coin(&mut self) -> bool {
        self.rng.next_u32() & 1 == 1
    }

    /// Student t with 5 degrees of freedom, scaled to variance 1.
    fn heavy(&mut self) -> f64 {
        let chi_square: f64 = (0..5).map(|_| self.next().powi(2)).sum();
        self.next() / (chi_square / 5.0).sqrt() * 0.6_f64.sqrt()
    }
}

/// The three step lengths of the host: inside a slice, between slices, in starts and warm-ups.
const STEPS: [f64; 3] = [0.25, 0.1, 1.0];

/// One step length: how each process decays and is stirred, and how likely a burst begins.
#[derive(Clone, Copy)]
struct Step {
    seconds: f64,
    decay: [f64; 3],
    stir: [f64; 3],
    burst_begins: f64,
}

impl Step {
    fn of(seconds: f64, host_sd: f64) -> Self {
        let processes = [(0.7, 0.25), (12.0, 0.45), (300.0, 0.30)];
        let decay = processes.map(|(tau, _)| f64::exp(-seconds / tau));
        let stir = processes
            .map(|(tau, share): (f64, f64)| host_sd * (share * -f64::exp_m1(-2.0 * seconds / tau)).sqrt());
        Self {
            seconds,
            decay,
            stir,
            burst_begins: -f64::exp_m1(-seconds / 40.0),
        }
    }
}

/// The machine both arms share.
struct Host {
    steps: [Step; 3],
    level: [f64; 3],
    burst_left: f64,
    burst_depth: f64,
}

impl Host {
    fn new(scenario: Scenario, noise: &mut Normals) -> Self {
        let level = [0.25_f64, 0.45, 0.30].map(|share| scenario.host * share.sqrt() * noise.next());
        let steps = STEPS.map(|seconds| Step::of(seconds, scenario.host));
        Self {
            steps,
            level,
            burst_left: 0.0,
            burst_depth: scenario.burst,
        }
    }

    /// Runs on by one step; the speed of the machine in it, 1 = usual.
    fn run(&mut self, step: usize, noise: &mut Normals) -> f64 {
        let step = &self.steps[step];
        for ((level, decay), stir) in self.level.iter_mut().zip(step.decay).zip(step.stir) {
            *level = *level * decay + stir * noise.next();
        }
        if self.burst_left <= 0.0 && noise.uniform() < step.burst_begins {
            self.burst_left = -4.0 * noise.uniform().ln();
        }
        let covered = self.burst_left.clamp(0.0, step.seconds) / step.seconds;
        self.burst_left -= step.seconds;
        self.level.iter().sum::<f64>().exp() * (1.0 - self.burst_depth * covered)
    }
}

/// One fresh start of one arm.
struct Start {
    speed: f64,
    warm_up: f64,
    age: f64,
}

impl Start {
    fn new(scenario: Scenario, noise: &mut Normals) -> Self {
        // Now and then the compiler finds a bad plan and keeps it for the life of the process.
        let bad_plan = if noise.uniform() < 0.03 { -0.05 } else { 0.0 };
        let speed = scenario.start * noise.next() + bad_plan;
        Self {
            speed,
            warm_up: 2.0 * (0.3 * noise.next()).exp(),
            age: 8.0,
        }
    }
}

/// An endless experiment: rounds of two arms, of which B is slower by `effect` (log scale; 0 = A/A).
pub(crate) struct Experiment {
    scenario: Scenario,
    effect: f64,
    noise: Normals,
    host: Host,
}

impl Experiment {
    pub(crate) fn new(scenario: Scenario, effect: f64, seed: u64) -> Self {
        let mut noise = Normals::new(seed);
        let host = Host::new(scenario, &mut noise);
        Self {
            scenario,
            effect,
            noise,
            host,
        }
    }

    /// The pair differences of the next round, with fresh starts, by the production code.
    pub(crate) fn round(&mut self, pairs_wanted: usize) -> Vec<f64> {
        let mut starts = [(); 2].map(|()| Start::new(self.scenario, &mut self.noise));
        // Two arms, 1 s to start and 8 s to warm up each.
        for _ in 0..18 {
            self.host.run(2, &mut self.noise);
        }
        let mut slices = Vec::with_capacity(2 * pairs_wanted);
        for _ in 0..pairs_wanted {
            let arm_first = self.noise.coin();
            for second in [false, true] {
                let side = if arm_first == second {
                    Side::Baseline
                } else {
                    Side::Arm
                };
                let x = self.slice(&mut starts[usize::from(side == Side::Arm)], second);
                slices.push((side, if side == Side::Arm { x - self.effect } else { x }));
            }
        }
        pairs(&slices).expect("one slice of each side")
    }

    /// `D` of the next `rounds` rounds.
    pub(crate) fn rounds(&mut self, rounds: usize) -> Vec<f64> {
        (0..rounds)
            .map(|_| round_value(&self.round(PAIRS)).expect("pairs"))
            .collect()
    }

    fn slice(&mut self, start: &mut Start, second: bool) -> f64 {
        self.host.run(1, &mut self.noise);
        let speed = (self.host.run(0, &mut self.noise) + self.host.run(0, &mut self.noise)) / 2.0;
        let cold = COLD * (-start.age / start.warm_up).exp();
        start.age += 0.6;
        let own = self.scenario.slice / SLICE.sqrt() * self.noise.heavy();
        let position = if second { POSITION } else { 0.0 };
        start.speed + speed.ln() + own - cold - position
    }
}
