//! Do the numbers of a start show what a server did? These tests simulate servers that pause, and machines that do,
//! step by step, and compare what records, numbers and verdicts make of them with the known truth. Seeds are fixed,
//! so a test passes either always or never. `cargo test -p judge truth -- --nocapture` prints what was found.

use crate::numbers::Numbers;
use crate::testing::{experiment, round};
use crate::verdicts::judge;
use ask::experiment::{Experiment, Headline};
use model::measure::Measure;
use model::units::{Rate, Seconds};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use record::histogram::{Histogram, SparseHistogram};
use record::outcome::{Counts, Verdict};
use record::remark::Remark;
use record::rounds::{RoundRecord, SliceRecord};
use stats::robust::{mean, sd};
use stats::spending::LookKind;

/// Seconds of a step of the simulation.
const STEP: f64 = 0.01;
/// How slices are cut.
#[derive(Clone, Copy, Debug)]
struct Cut {
    /// Seconds of the counted part of a slice, and of the part before it.
    counted: f64,
    settle: f64,
    /// Whether an edge waits for the next answer.
    at_answers: bool,
    /// Windows of both arms at once behind the slices, at a fixed rate: an even number.
    windows: u32,
}

/// As prony cuts them.
const CUT: Cut = Cut { counted: 0.1, settle: 0.02, at_answers: true, windows: 0 };
/// The same with the windows of a mixed stage, so that all loaded seconds of a start are there.
const WHOLE: Cut = Cut { windows: 20, ..CUT };
/// Seconds of such a window, and requests per second of each arm in it.
const WINDOW: f64 = 0.6;
const RATE: f64 = 5_000.0;
/// As short slices would be cut by the clock.
const BY_CLOCK: Cut = Cut { at_answers: false, ..CUT };
/// Answers per second of a server that nothing holds up, and the CPU seconds of an answer.
const SPEED: (f64, f64) = (20_000.0, 50e-6);
/// Starts of a run, and quads of each of them.
const STARTS: u32 = 12;
const QUADS: u32 = 20;

/// What the second arm does besides answering; times are in seconds.
#[derive(Clone, Copy, Debug)]
enum Habit {
    /// Nothing.
    None,
    /// It stands still for the first time in each of the second on average, loaded or not.
    Stall(f64, f64),
    /// After each 60,000 answers it collects garbage with two CPUs for this time, and answers nothing meanwhile.
    Collection(f64),
    /// It works at half its speed for this time on average, and usually for the second one.
    Convoy(f64, f64),
    /// A quarter of its starts is slower by this share.
    Bimodal(f64),
}

/// Answers between two collections.
const COLLECT_AFTER: f64 = 60_000.0;
/// CPUs that a collection uses.
const COLLECTORS: f64 = 2.0;

impl Habit {
    /// The true mean log ratio of the arms over all starts, positive when the second arm is better.
    fn truth(self, measure: Measure) -> f64 {
        match (self, measure) {
            (Self::None, _) => 0.0,
            (Self::Stall(length, every), Measure::Throughput) => (1.0 - length / every).ln(),
            (Self::Collection(length), Measure::Throughput) => -(1.0 + length * SPEED.0 / COLLECT_AFTER).ln(),
            (Self::Collection(length), _) => -(1.0 + COLLECTORS * length / COLLECT_AFTER / SPEED.1).ln(),
            (Self::Convoy(slow, usual), Measure::Throughput) => ((usual + 0.5 * slow) / (usual + slow)).ln(),
            (Self::Bimodal(share), Measure::Throughput) => 0.25 * (1.0 - share).ln(),
            // A server that stands still, or waits for a lock, spends no CPU time on it.
            (Self::Stall(..) | Self::Convoy(..) | Self::Bimodal(_), _) => 0.0,
        }
    }
}

/// A server as it is at a moment.
struct Server {
    habit: Habit,
    /// Its speed in this start, relative to [`SPEED`].
    luck: f64,
    /// Answers since the last collection.
    since_collection: f64,
    /// Until when it stands still, or is slow.
    busy_until: f64,
    /// When it is slow, or stands still, next.
    slow_from: f64,
}

/// Another program that takes half of the machine for the first time, with the second between two bursts on average; in seconds.
#[derive(Clone, Copy, Debug)]
struct Neighbour(f64, f64);

/// A neighbour in nearly every row of slices, and one in few of them.
const OFTEN: Neighbour = Neighbour(0.7, 1.2);
const RARELY: Neighbour = Neighbour(2.0, 20.0);

/// A machine with two servers, at a moment.
struct Machine {
    random: ChaCha8Rng,
    cut: Cut,
    now: f64,
    neighbour: Option<Neighbour>,
    /// When the neighbour begins or ends, and whether it is at work.
    turns: (f64, bool),
}

impl Machine {
    /// A draw from the exponential distribution with this mean.
    fn exponential(&mut self, mean: f64) -> f64 {
        -mean * (1.0 - self.random.random::<f64>()).ln()
    }

    /// A standard normal number, nearly: the sum of twelve uniform ones.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.random.random::<f64>()).sum::<f64>() - 6.0
    }

    fn start(&mut self, habit: Habit) -> Server {
        let bad = match habit {
            Habit::Bimodal(share) if self.random.random::<f64>() < 0.25 => 1.0 - share,
            _ => 1.0,
        };
        let slow_from = match habit {
            Habit::Convoy(_, usual) => self.now + self.exponential(usual),
            Habit::Stall(length, every) => self.now + self.exponential(every - length),
            _ => f64::INFINITY,
        };
        Server {
            habit,
            luck: bad * (0.02 * self.normal()).exp(),
            since_collection: COLLECT_AFTER * self.random.random::<f64>(),
            busy_until: 0.0,
            slow_from,
        }
    }

    /// The share of the machine that is left to servers during the next step.
    fn share(&mut self) -> f64 {
        if let Some(Neighbour(burst, pause)) = self.neighbour
            && self.now >= self.turns.0
        {
            let busy = !self.turns.1;
            let length = if busy { burst } else { self.exponential(pause) };
            self.turns = (self.now + length, busy);
        }
        if self.turns.1 { 0.5 } else { 1.0 }
    }

    /// Loads a server for a step. Returns its answers and CPU seconds.
    fn load(&mut self, server: &mut Server) -> (f64, f64) {
        let share = self.share();
        let full = STEP * SPEED.0 * server.luck * share;
        let now = self.now;
        let answers = match server.habit {
            Habit::Stall(length, every) => {
                if now >= server.slow_from && now >= server.busy_until {
                    server.busy_until = server.slow_from + length;
                    server.slow_from = server.busy_until + self.exponential(every - length);
                }
                if now < server.busy_until { 0.0 } else { full }
            }
            Habit::Collection(_) if now < server.busy_until => return (0.0, COLLECTORS * STEP),
            Habit::Collection(length) if server.since_collection + full > COLLECT_AFTER => {
                server.since_collection -= COLLECT_AFTER;
                server.busy_until = now + length;
                return (0.0, COLLECTORS * STEP);
            }
            Habit::Convoy(slow, usual) => {
                if now >= server.slow_from && now >= server.busy_until {
                    server.busy_until = server.slow_from + self.exponential(slow);
                    server.slow_from = server.busy_until + self.exponential(usual);
                }
                if now < server.busy_until { 0.5 * full } else { full }
            }
            _ => full,
        };
        server.since_collection += answers;
        (answers, answers * SPEED.1)
    }

    /// The windows of both servers behind the slices of a start; `blank` has what they have in common.
    fn windows(&mut self, servers: &mut [Server; 2], blank: &SliceRecord) -> Vec<SliceRecord> {
        let mut slices = Vec::new();
        for window in 0..self.cut.windows {
            let mut both = [0, 1].map(|arm: usize| SliceRecord {
                quad: QUADS + window / 2,
                position: 2 * (window % 2) + arm as u32,
                arm,
                started_ns: (self.now * 1e9) as u64,
                ..blank.clone()
            });
            self.record_together(servers, &mut both);
            slices.extend(both);
        }
        slices
    }

    /// Loads both servers for a window at a fixed rate, and records what they did. A request that is due while a server stands still waits
    /// for the rest of it.
    fn record_together(&mut self, servers: &mut [Server; 2], slices: &mut [SliceRecord; 2]) {
        let mut seen = [(); 2].map(|()| Seen::default());
        let mut cpu = [0.0; 2];
        for _ in 0..(WINDOW / STEP).round() as usize {
            for (arm, server) in servers.iter_mut().enumerate() {
                let (answers, seconds) = self.load(server);
                seen[arm].step(answers > 0.0, true);
                cpu[arm] += seconds;
            }
            self.now += STEP;
        }
        for ((slice, seen), cpu) in slices.iter_mut().zip(seen).zip(cpu) {
            let ok = (RATE * WINDOW * (0.03 * self.normal()).exp()) as u64;
            slice.counts = Counts { requests: ok, ok, ..Counts::default() };
            slice.elapsed_ns = (WINDOW * 1e9) as u64;
            slice.cpu_ns_arm = (cpu * 1e9) as u64 + 1;
            (slice.rate, slice.together) = (Some(Rate(RATE)), true);
            slice.longest_ns = seen.longest;
        }
    }

    /// Loads a server for a slice that is as long as usual times `stretch`, and records it in `slice`.
    fn record(&mut self, server: &mut Server, stretch: f64, slice: &mut SliceRecord) {
        let noise = (0.03 * self.normal()).exp();
        let (mut ok, mut cpu, mut begun) = (0.0, 0.0, None);
        let mut seen = Seen::default();
        let settled = self.now + self.cut.settle;
        loop {
            let (answers, seconds) = self.load(server);
            self.now += STEP;
            let is_edge = |time: f64| self.now > time - STEP / 2.0 && (answers > 0.0 || !self.cut.at_answers);
            if begun.is_some() {
                ok += answers * noise;
                cpu += seconds;
                seen.step(answers > 0.0, true);
            } else if is_edge(settled) {
                begun = Some(self.now);
            } else {
                seen.step(answers > 0.0, false);
            }
            if begun.is_some_and(|begun| is_edge(begun + stretch * self.cut.counted)) {
                break;
            }
        }
        slice.elapsed_ns = ((self.now - begun.unwrap_or(self.now)) * 1e9) as u64;
        slice.counts = Counts { requests: ok as u64, ok: ok as u64, ..Counts::default() };
        slice.cpu_ns_arm = (cpu * 1e9) as u64;
        slice.longest_ns = seen.longest;
    }
}

/// The longest response times of the tenths of a second of a slice, as the generator records them.
#[derive(Clone, Debug, Default)]
struct Seen {
    longest: Vec<u64>,
    /// Steps of the counted part, and the steps since the last answer.
    steps: usize,
    silent: u64,
}

impl Seen {
    /// Adds a step with or without answers, counted or not.
    fn step(&mut self, answered: bool, counted: bool) {
        self.silent = if answered { self.silent } else { self.silent + 1 };
        if counted {
            let tenth = self.steps / 10;
            self.longest.resize(tenth + 1, 0);
            self.steps += 1;
            if answered {
                // A request takes 3 ms; a request that was sent before a pause takes 3 ms and the pause.
                let longest = &mut self.longest[tenth];
                *longest = (*longest).max(3_000_000 + self.silent * 10_000_000);
            }
        }
        if answered {
            self.silent = 0;
        }
    }
}

/// An experiment without a stage at a fixed rate whose headline is this measure.
fn asked(measure: Measure) -> Experiment {
    let mut asked = experiment();
    asked.design.headline = Headline::One(measure);
    asked.design.latency_pairs = 0;
    asked.design.starts = Some(STARTS);
    asked
}

/// The measure that is the headline.
fn headline(asked: &Experiment) -> Measure {
    match asked.design.headline {
        Headline::One(measure) => measure,
        Headline::Overall => panic!("one measure is asked for"),
    }
}

/// The numbers of the starts of a run, in which the second arm has a habit.
fn run_with(
    asked: &Experiment,
    habit: Habit,
    neighbour: Option<Neighbour>,
    seed: u64,
    cut: Cut,
) -> Vec<Numbers> {
    let mut machine =
        Machine { random: ChaCha8Rng::seed_from_u64(seed), cut, now: 0.0, neighbour, turns: (0.0, false) };
    // Nothing depends on the times, so the histogram is small.
    let mut times = Histogram::new_with_bounds(1, 1_000, 1).expect("valid bounds");
    times.record(500).expect("within the bounds");
    let template = RoundRecord { slices: Vec::new(), ..round(1, &[crate::testing::PLAIN; 2]) };
    let times = Some(SparseHistogram::from(&times));
    let (response, service) = (times.clone(), times);
    let mut start = |number: u32| {
        let mut servers = [Habit::None, habit].map(|habit| machine.start(habit));
        let mut slices = Vec::new();
        for quad in 0..QUADS {
            let first = (machine.random.next_u32() & 1) as usize;
            let stretch = 0.75 + 0.5 * machine.random.random::<f64>();
            for (position, arm) in [first, 1 - first, 1 - first, first].into_iter().enumerate() {
                let mut slice = SliceRecord {
                    round: number,
                    quad,
                    position: position as u32,
                    arm,
                    response: response.clone(),
                    service: service.clone(),
                    started_ns: (machine.now * 1e9) as u64,
                    ..SliceRecord::default()
                };
                machine.record(&mut servers[arm], stretch, &mut slice);
                slices.push(slice);
            }
        }
        let blank = SliceRecord {
            round: number,
            response: response.clone(),
            service: service.clone(),
            ..SliceRecord::default()
        };
        slices.extend(machine.windows(&mut servers, &blank));
        machine.now += 20.0;
        let record = RoundRecord { round: number, slices, ..template.clone() };
        Numbers::of(asked, &record).expect("numbers")
    };
    (1..=STARTS).map(&mut start).collect()
}

/// The same starts with the difference of the typical row as their number, as prony had it before.
fn trimmed(asked: &Experiment, numbers: &[Numbers]) -> Vec<Numbers> {
    let headline = headline(asked) as usize;
    let of_start = |numbers: &Numbers| {
        let mut numbers = numbers.clone();
        let level = numbers.levels[0].as_mut().expect("a level");
        level.values.d[1][headline] = level.values.typical[1][headline];
        numbers
    };
    numbers.iter().map(of_start).collect()
}

/// What many runs of one kind gave.
#[derive(Debug, Default)]
struct Found {
    /// The mean of the starts' numbers, minus the truth.
    bias: f64,
    /// The standard deviation of a start's number.
    spread: f64,
    /// Shares of the runs: the interval contains the truth; the verdict is `same`; it is `faster` or `slower`; it has the remark
    /// that rare slices weigh.
    covered: f64,
    same: f64,
    called: f64,
    remarked: f64,
    /// It tells pauses of one arm that the other does not have.
    paused: f64,
}

/// Judges runs of one kind, each as it stops by itself.
fn judge_runs(asked: &Experiment, truth: f64, runs: &[Vec<Numbers>]) -> Found {
    let headline = headline(asked);
    let d: Vec<f64> = runs.iter().flatten().filter_map(|numbers| numbers.d(1, headline, 0)).collect();
    let mut found = Found {
        bias: mean(&d).expect("starts") - truth,
        spread: sd(&d).expect("starts"),
        ..Found::default()
    };
    let ratio = crate::d_series::ratio_from_log(headline, truth);
    let each = 1.0 / runs.len() as f64;
    for run in runs {
        let decided = |k: &usize| judge(asked, &run[..*k], Seconds(20.0), LookKind::Running).decided;
        let ends = [4, 6, 9].into_iter().find(decided).unwrap_or(run.len());
        let standing = judge(asked, &run[..ends], Seconds(20.0), LookKind::Last);
        let head = standing
            .comparisons
            .into_iter()
            .find(|comparison| comparison.measure == headline)
            .expect("the headline");
        let estimate = head.ratio.expect("a ratio");
        let (low, high) = (estimate.low.expect("an end"), estimate.high.expect("an end"));
        let add = |share: &mut f64, holds: bool| *share += if holds { each } else { 0.0 };
        add(&mut found.covered, low <= ratio && ratio <= high);
        add(&mut found.same, head.verdict == Verdict::Same);
        add(&mut found.called, matches!(head.verdict, Verdict::Faster | Verdict::Slower));
        let rare = |remark: &Remark| matches!(remark, Remark::RareSlicesWeigh { .. });
        add(&mut found.remarked, head.remarks.iter().any(rare));
        let pauses = |remark: &Remark| matches!(remark, Remark::Pauses(_));
        add(&mut found.paused, head.remarks.iter().any(pauses));
    }
    found
}

/// Simulates runs in which the second arm has a habit. Returns what is found by totals, and what would be found by typical rows.
fn simulate(habit: Habit, measure: Measure, neighbour: Option<Neighbour>) -> [Found; 2] {
    simulate_with(habit, measure, neighbour, CUT)
}

/// The same with starts that are cut as `cut` says.
fn simulate_with(habit: Habit, measure: Measure, neighbour: Option<Neighbour>, cut: Cut) -> [Found; 2] {
    const RUNS: u64 = 30;
    let asked = asked(measure);
    let truth = habit.truth(measure);
    let runs: Vec<Vec<Numbers>> =
        (0..RUNS).map(|seed| run_with(&asked, habit, neighbour, 1_000 + seed, cut)).collect();
    let before: Vec<Vec<Numbers>> = runs.iter().map(|run| trimmed(&asked, run)).collect();
    let found = [&runs, &before].map(|runs| judge_runs(&asked, truth, runs));
    for (name, found) in ["totals", "typical"].into_iter().zip(&found) {
        println!(
            "{habit:?}, {neighbour:?}, {} by {name}: truth {:+.2} %, {found:.4?}",
            measure.id(),
            100.0 * truth
        );
    }
    found
}

#[test]
fn pauses_of_a_server_cost_what_they_cost() {
    for (habit, measure) in [
        (Habit::Stall(0.3, 5.0), Measure::Throughput),
        // Slices that lie within a stall have no answers at all.
        (Habit::Stall(0.6, 10.0), Measure::Throughput),
        (Habit::Collection(0.15), Measure::Throughput),
        (Habit::Collection(0.15), Measure::CpuPerRequest),
        (Habit::Convoy(1.0, 9.0), Measure::Throughput),
    ] {
        let [totals, typical] = simulate_with(habit, measure, None, WHOLE);
        assert!(totals.bias.abs() < 0.01 && totals.covered >= 0.8, "{totals:?}");
        // Slices of throughput hold few stalls of 0.6 s every 10 s, and some runs none, but all loaded seconds hold four times as many. An arm
        // that only becomes slow is never silent.
        let (same, told) = match habit {
            Habit::Stall(..) => (0.04, 0.9),
            _ => (0.2, 0.0),
        };
        assert!(totals.same <= same && totals.paused >= told, "{totals:?}");
        // More than a fifth of a margin of the difference lies in rare slices, and the report says so.
        assert!(totals.remarked >= 0.8, "{totals:?}");
        assert!(typical.bias > 0.02 && typical.covered < 0.75, "{typical:?}");
    }
}

/// Slices that are shorter than a collection hold all of it if they end with an answer. If the clock ends them, half of it is lost: it goes on
/// while the other arm is loaded.
#[test]
fn a_slice_that_ends_with_an_answer_holds_a_collection_whole() {
    for measure in [Measure::Throughput, Measure::CpuPerRequest] {
        let (asked, habit) = (asked(measure), Habit::Collection(0.15));
        let bias = |cut: Cut| {
            let of_run = |seed: u64| run_with(&asked, habit, None, 2_000 + seed, cut);
            let numbers: Vec<Numbers> = (0..40).flat_map(of_run).collect();
            let d = numbers.iter().filter_map(|numbers| numbers.d(1, measure, 0));
            mean(&d.collect::<Vec<f64>>()).expect("starts") - habit.truth(measure)
        };
        let (with_answers, by_clock) = (bias(CUT), bias(BY_CLOCK));
        println!("{}: {:+.2} %, by the clock {:+.2} %", measure.id(), 100.0 * with_answers, 100.0 * by_clock);
        assert!(with_answers.abs() < 0.005, "{with_answers}");
        assert!(by_clock > 0.01, "{by_clock}");
    }
}

#[test]
fn starts_that_are_sometimes_bad_weigh_as_often_as_they_happen() {
    let [totals, _] = simulate(Habit::Bimodal(0.08), Measure::Throughput, None);
    assert!(totals.bias.abs() < 0.01, "{totals:?}");
    // They differ by 2 % on average, which is within the margin.
    assert!(totals.covered >= 0.83, "{totals:?}");
}

#[test]
fn equal_arms_do_not_differ_in_pauses() {
    for neighbour in [None, Some(OFTEN)] {
        let [equal, _] = simulate_with(Habit::None, Measure::Throughput, neighbour, WHOLE);
        assert!(equal.paused <= 0.04, "{equal:?}");
    }
}

#[test]
fn bursts_of_a_neighbour_make_no_difference_but_make_totals_noisier() {
    for (neighbour, noisier) in [(None, 1.1), (Some(OFTEN), 1.6), (Some(RARELY), 1.3)] {
        let [totals, typical] = simulate(Habit::None, Measure::Throughput, neighbour);
        // At an error rate of 5 %, chance calls more than four of 30 runs different once in 60 tries.
        assert!(totals.called <= 4.0 / 30.0, "{totals:?}");
        assert!(totals.covered >= 0.83, "{totals:?}");
        assert!(totals.spread < noisier * typical.spread, "{totals:?} {typical:?}");
    }
}
