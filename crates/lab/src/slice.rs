//! Measures slices: load on one of the running arms, or on all at once, with readings of all arms and the host at the edges.

use crate::Error;
use crate::clock::wall_clock;
use crate::meters::{Meter, Meters, PendingReading};
use crate::percentiles;
use crate::slice_counts::{counts, event_record, send_delay};
use crate::steps::step_records;
use load::{Edge, LoadSession, MadeSlice, Window};
use model::reason::Reason;
use model::units::{Count, Nanos, Rate};
use probe::host::{CpuTicks, psi_cpu_some, run_queue};
use record::histogram::SparseHistogram;
use record::rounds::SliceRecord;
use record::telemetry::{JvmTotals, Mark};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// The share of users with a request in flight from which on all users count as connected.
const CONNECTED: f64 = 0.95;
/// How long the users of an arm have to wait after a slice without a right answer for the arm to be silent.
const SILENCE: Nanos = Nanos::from_secs(2);
/// The largest share of this machine that is idle where its CPUs limit a closed loop.
const IDLE_OF_FULL: f64 = 0.1;

/// The started arms of a round. All lists are in the order of the arms.
#[derive(Default)]
pub(crate) struct RunningArms {
    pub(crate) servers: Vec<sut::Server>,
    /// The connections of the closed loop.
    pub(crate) sessions: Vec<Box<dyn LoadSession>>,
    /// The seeds of the sessions' plans.
    pub(crate) seeds: Vec<u64>,
    /// The meters of the servers.
    pub(crate) meters: Meters,
}

/// The readings at an edge of the counted window.
#[derive(Clone, Debug, Default)]
struct EdgeReading {
    cpu: Vec<Nanos>,
    ticks: CpuTicks,
    psi: Option<u64>,
    run_queue: Option<u64>,
    /// The counters of the loaded arm's JVM.
    jvm: Option<JvmTotals>,
}

/// The readings at an edge. Readings of other hosts are still to come: the load does not wait for them.
struct PendingEdge {
    arms: Vec<PendingReading>,
    loaded: usize,
    here: EdgeReading,
}

impl PendingEdge {
    fn begin(meters: &[Meter], loaded: usize) -> Result<Self, Error> {
        // Other hosts are asked first, because the question has a way to go.
        let elsewhere = |meter: &Meter| matches!(meter, Meter::There(_)).then(|| meter.begin(true));
        let asked: Vec<_> = meters.iter().map(elsewhere).collect();
        let read = asked.into_iter().zip(meters).enumerate();
        let arms = read.map(|(arm, (asked, meter))| asked.unwrap_or_else(|| meter.begin(arm == loaded)));
        Ok(Self {
            arms: arms.collect::<Result<_, _>>()?,
            loaded,
            here: EdgeReading {
                ticks: CpuTicks::now(),
                psi: psi_cpu_some(),
                run_queue: run_queue(),
                ..EdgeReading::default()
            },
        })
    }

    fn wait(self) -> Result<EdgeReading, Error> {
        let arms = self.arms.into_iter().map(PendingReading::wait);
        let arms: Vec<_> = arms.collect::<Result<_, _>>()?;
        let loaded = arms[self.loaded];
        let mut reading = self.here;
        // What is taken from the machine of the server counts like what is taken from ours.
        reading.ticks.steal += loaded.steal_ticks.unwrap_or(0);
        Ok(EdgeReading { cpu: arms.iter().map(|arm| arm.cpu).collect(), jvm: loaded.jvm, ..reading })
    }
}

/// A slice with the readings of the servers and the host.
pub(crate) struct Measured {
    /// The measurements of the generator.
    pub(crate) made: MadeSlice,
    /// The time of its begin, in nanoseconds since the epoch.
    pub(crate) started_ns: u64,
    /// The CPU time of every arm between the edges.
    pub(crate) cpu: Vec<Nanos>,
    /// The CPU time of the event loops that loaded other arms at the same time.
    other_loads: Nanos,
    /// Whether the server of the loaded arm runs on this machine, as the generator does.
    beside_generator: bool,
    /// The time from its begin until its last request was answered.
    pub(crate) answered: Nanos,
    settle: Nanos,
    edges: [EdgeReading; 2],
}

/// Loads arm number `loaded` for one window, and reads all arms and the host at its edges.
pub(crate) fn measure(
    session: &mut dyn LoadSession,
    loaded: usize,
    meters: &Meters,
    window: Window,
    stop: &AtomicBool,
) -> Result<Measured, Error> {
    let start = session.next_start()?;
    LoadedWindow::begin(meters, &[loaded], start, window, stop).load(session, loaded)
}

/// Loads these arms at once for one window that begins at the same time for each, and reads all arms and the host at the
/// edges of each one's counted part. `sessions` has one of each arm; the results are in the order of `arms`. Where there
/// are several, each session is run by a thread of its own. All these threads are alike, and start in the order of `arms`.
pub(crate) fn measure_together(
    sessions: &mut [Box<dyn LoadSession>],
    arms: &[usize],
    meters: &Meters,
    window: Window,
    stop: &AtomicBool,
) -> Result<Vec<Measured>, Error> {
    if let &[arm] = arms {
        return Ok(vec![measure(sessions[arm].as_mut(), arm, meters, window, stop)?]);
    }
    let Some(start) = arms.first().map(|arm| sessions[*arm].next_start()) else {
        return Ok(Vec::new());
    };
    let window = &LoadedWindow::begin(meters, arms, start?, window, stop);
    let all: Vec<Result<Measured, Error>> = thread::scope(|scope| {
        let mut sessions: Vec<_> = sessions.iter_mut().map(Some).collect();
        let load = |&arm: &usize| {
            let session = sessions[arm].take().expect("each arm is named once");
            scope.spawn(move || window.load(session.as_mut(), arm))
        };
        let threads: Vec<_> = arms.iter().map(load).collect();
        let ended = threads.into_iter().map(|thread| thread.join());
        ended.map(|measured| measured.expect("a load does not panic")).collect()
    });
    let mut all = all.into_iter().collect::<Result<Vec<_>, _>>()?;
    let loads = |sum, measured: &Measured| sum + measured.made.cpu_here;
    let loads = all.iter().fold(Nanos(0), loads);
    for measured in &mut all {
        measured.other_loads = loads.since(measured.made.cpu_here);
    }
    Ok(all)
}

/// A window of load on one arm or on several at once.
struct LoadedWindow<'a> {
    meters: &'a Meters,
    /// The arms that are loaded.
    arms: &'a [usize],
    window: Window,
    stop: &'a AtomicBool,
    /// The time of its begin, in nanoseconds since the epoch.
    started_ns: u64,
    /// The time of its begin on the clock of the generator.
    start: Nanos,
    /// How many arms have crossed the edges at the begin and at the end of the counted part.
    crossed: [AtomicUsize; 2],
}

impl<'a> LoadedWindow<'a> {
    /// Begins a window on these arms at `start`. The load of each has to follow at once.
    fn begin(
        meters: &'a Meters,
        arms: &'a [usize],
        start: Nanos,
        window: Window,
        stop: &'a AtomicBool,
    ) -> Self {
        let begun = Self {
            meters,
            arms,
            window,
            stop,
            started_ns: wall_clock() + start.since(load::now()).0,
            start,
            crossed: [AtomicUsize::new(0), AtomicUsize::new(0)],
        };
        meters.mark(arms, Mark::Loads);
        begun
    }

    /// Loads one of the arms until the window ends.
    fn load(&self, session: &mut dyn LoadSession, arm: usize) -> Result<Measured, Error> {
        let mut readings = Vec::with_capacity(2);
        let made = session.run_from(self.start, self.window, self.stop, &mut |edge| {
            let (mark, crossed) = match edge {
                Edge::CountedBegins => (Mark::Begins, &self.crossed[0]),
                Edge::CountedEnds => (Mark::Ends, &self.crossed[1]),
                Edge::Interval(_) => return,
            };
            readings.push(PendingEdge::begin(self.meters.each(), arm));
            // One reading of the telemetry is for all arms: it is taken when the last of them has come to the edge.
            if crossed.fetch_add(1, Ordering::Relaxed) + 1 == self.arms.len() {
                self.meters.mark(self.arms, mark);
            }
        })?;
        if made.slice.interrupted {
            return Err(Error::Interrupted);
        }
        let mut readings = readings.into_iter();
        let mut next = || readings.next().map(|pending| pending?.wait()).transpose();
        let (Some(begin), Some(end)) = (next()?, next()?) else {
            return Err(Error::Edges);
        };
        let cpu = end.cpu.iter().zip(&begin.cpu);
        Ok(Measured {
            made,
            started_ns: self.started_ns,
            cpu: cpu.map(|(end, begin)| end.since(*begin)).collect(),
            other_loads: Nanos(0),
            beside_generator: matches!(self.meters.each()[arm], Meter::Here(_)),
            answered: load::now().since(self.start),
            settle: self.window.settle,
            edges: [begin, end],
        })
    }
}

/// The position of a slice in its round.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlicePosition {
    pub(crate) round: u32,
    pub(crate) quad: u32,
    pub(crate) position: u32,
    pub(crate) arm: usize,
    pub(crate) level: usize,
    /// The requests due per second; `None` in the closed loop.
    pub(crate) rate: Option<Rate>,
    /// Whether the slice is part of the search for the highest rate.
    pub(crate) probe: bool,
    /// Whether the slice is a point of the curve over rates.
    pub(crate) curve: bool,
    /// Whether the other arms are loaded at the same time.
    pub(crate) together: bool,
    /// The seed of the session's plan.
    pub(crate) seed: u64,
}

impl SlicePosition {
    /// The position of the first slice of a round at a level, or at a rate that comes from the level.
    pub(crate) fn first(round: u32, level: usize, rate: Option<Rate>) -> Self {
        Self {
            round,
            quad: 0,
            position: 0,
            arm: 0,
            level,
            rate,
            probe: false,
            curve: false,
            together: false,
            seed: 0,
        }
    }
}

impl Measured {
    /// Whether an arm gave no right answer in this window, and made its users wait for long after it, unless it was silent before.
    pub(crate) fn is_silent(&self, window: Window, was_silent: bool) -> bool {
        let late = self.answered > window.settle + window.counted + SILENCE;
        self.made.slice.ok == 0 && (was_silent || late)
    }

    /// The share of this machine that was idle between the edges.
    pub(crate) fn idle(&self) -> f64 {
        let [begin, end] = &self.edges;
        end.ticks.share_since(&begin.ticks, |ticks| ticks.idle)
    }

    /// Whether all of so many users, but for a few who are just between two requests, have a request in flight or wait for a stream to send it.
    pub(crate) fn has_all_users(&self, users: usize) -> bool {
        let slice = &self.made.slice;
        let there = slice.in_flight_integral + slice.http2.stream_waited;
        there.0 / slice.elapsed.as_secs_f64().max(1e-9) >= CONNECTED * users as f64
    }

    /// Why the slice says more about the generator than about the server. In a closed loop that fills the machine, users
    /// who wait for the generator cost no throughput, because others use the CPU meanwhile: of 25 slices whose answers lay unseen
    /// for 10 to 23 % of the time, 22 had more throughput than the median of the others at the same arm, level and start.
    fn why_invalid(&self, rate: Option<Rate>) -> Option<Reason> {
        let is_together = self.beside_generator && self.made.cpu_here > Nanos(0);
        let shares_full_machine = rate.is_none() && is_together && self.idle() <= IDLE_OF_FULL;
        self.made.why_invalid.clone().filter(|why| !(shares_full_machine && why.delays_users()))
    }

    /// The CPU time of all arms but `arm`.
    pub(crate) fn other_arms(&self, arm: usize) -> Nanos {
        let others = self.cpu.iter().enumerate().filter(|(index, _)| *index != arm);
        others.fold(Nanos(0), |sum, (_, cpu)| sum + *cpu)
    }

    /// The record of the slice for the store.
    pub(crate) fn record(&self, position: SlicePosition) -> SliceRecord {
        let (made, slice, [begin, end]) = (&self.made, &self.made.slice, &self.edges);
        let jvm = end.jvm.zip(begin.jvm);
        let millis = |end: Nanos, begin: Nanos| end.since(begin).as_secs_f64() * 1e3;
        let queues = end.run_queue.zip(begin.run_queue);
        SliceRecord {
            round: position.round,
            quad: position.quad,
            position: position.position,
            arm: position.arm,
            level: position.level,
            rate: position.rate,
            probe: position.probe,
            curve: position.curve,
            together: position.together,
            seed: position.seed,
            started_ns: self.started_ns,
            settle_ns: self.settle.0,
            elapsed_ns: slice.elapsed.0,
            counts: counts(slice),
            sessions: slice.sessions,
            steps: step_records(&slice.steps),
            events: event_record(&slice.events),
            connects_settling: slice.connects_total.saturating_sub(slice.connects),
            cpu_ns_arm: self.cpu[position.arm].0,
            cpu_ns_other_arms: (self.other_arms(position.arm) + self.other_loads).0,
            cpu_ns_generator: made.cpu_here.0,
            steal_ticks: end.ticks.steal.saturating_sub(begin.ticks.steal),
            psi_cpu_some_us: end.psi.zip(begin.psi).map(|(end, begin)| end.saturating_sub(begin)),
            run_queue: queues.map(|(end, begin)| Count((end + begin) as f64 / 2.0)),
            gc_count: jvm.map(|(end, begin)| end.gc_count.saturating_sub(begin.gc_count)),
            gc_ms: jvm.map(|(end, begin)| millis(end.gc_time, begin.gc_time)),
            jit_ms: jvm.and_then(|(end, begin)| Some(millis(end.jit_time?, begin.jit_time?))),
            in_flight: slice.in_flight_integral,
            service_sum: slice.service_sum,
            lag_p99_ns: made.lag_p99.0,
            send_delay: position.rate.and_then(|_| send_delay(slice)),
            longest_ns: percentiles::longest(slice),
            backlog: slice.stragglers + slice.unsent,
            why_invalid: self.why_invalid(position.rate),
            response: Some(SparseHistogram::from(&slice.response)),
            undelayed: position.rate.map(|_| SparseHistogram::from(&slice.self_check.undelayed)),
            service: Some(SparseHistogram::from(&slice.service)),
            connect: (!slice.connect.is_empty()).then(|| SparseHistogram::from(&slice.connect)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use load::{Fault, RequestBuilder, Session, Slice, Url};
    use model::reason::GeneratorLimit;
    use model::units::{Seconds, Share};
    use std::collections::BTreeMap;
    use std::io::{Read, Write};
    use std::net::{SocketAddr, TcpListener};
    use std::process::{Child, Command};
    use std::sync::{Arc, Barrier};
    use traffic::plan::{Arrivals, Plan};

    /// A server for one connection, which answers a request only when its twin has one, too.
    fn twin(meet: Arc<Barrier>) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
        let address = listener.local_addr().expect("an address");
        thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a connection");
            let mut request = [0; 1024];
            while stream.read(&mut request).is_ok_and(|length| length > 0) {
                meet.wait();
                let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
                if stream.write_all(answer).is_err() {
                    break;
                }
            }
        });
        address
    }

    fn session(address: SocketAddr) -> Box<dyn LoadSession> {
        let url = Url::parse(&format!("http://{address}/")).expect("a URL");
        let request = RequestBuilder::new(&url).build().expect("a request");
        let mut plan = Plan::new(address, vec![request], Arrivals::Closed { users: 1 });
        // At the end of the window one of the two may wait for its twin in vain.
        plan.response_timeout = Nanos::from_millis(300);
        Box::new(Session::open(plan).expect("a session"))
    }

    /// A process that does nothing.
    #[test]
    fn requests_that_failed_after_their_window_are_counted() {
        let mut slice = Slice::empty();
        (slice.requests, slice.ok) = (10, 9);
        slice.faults.add(Fault::ResponseTimeout);
        slice.straggler_faults.add(Fault::ResponseTimeout);
        slice.straggler_faults.add(Fault::ClosedEarly);
        let counts = counts(&slice);
        assert_eq!((counts.requests, counts.ok), (12, 9));
        let faults = BTreeMap::from([("response_timeout".to_owned(), 2), ("closed_early".to_owned(), 1)]);
        assert_eq!(counts.faults, faults);
    }

    #[test]
    fn users_who_wait_for_the_generator_on_a_full_machine_spoil_no_closed_loop() {
        let unseen =
            GeneratorLimit::AnswersUnseen { share: Share(0.12), delay: Seconds(0.001), limit: Share(0.1) };
        let dropped = GeneratorLimit::SegmentsDropped { segments: 235, requests: 15_198, limit: Share(0.01) };
        let busy = GeneratorLimit::EventLoopBusy { share: Share(0.95), limit: Share(0.8) };
        let of = |limit: &GeneratorLimit, idle: u64, beside_generator: bool, rate: Option<Rate>| {
            let ticks = CpuTicks { total: 200, idle, ..CpuTicks::default() };
            let mut measured = nothing_measured();
            measured.made.why_invalid = Some(Reason::GeneratorSaturated(limit.clone()));
            (measured.made.cpu_here, measured.beside_generator) = (Nanos(1), beside_generator);
            measured.edges[1].ticks = ticks;
            measured.why_invalid(rate).is_some()
        };
        assert!(!of(&unseen, 10, true, None) && !of(&dropped, 10, true, None), "the machine is full");
        assert!(of(&unseen, 50, true, None), "a CPU was free");
        assert!(of(&unseen, 10, false, None), "the server is elsewhere");
        assert!(of(&unseen, 10, true, Some(Rate(100.0))), "response times would show it");
        assert!(of(&busy, 10, true, None), "the event loop has no time left");
    }

    /// A slice of one arm, in which nothing was asked.
    fn nothing_measured() -> Measured {
        Measured {
            made: MadeSlice {
                slice: Slice::empty(),
                why_invalid: None,
                lag_p99: Nanos(0),
                cpu_here: Nanos(0),
            },
            started_ns: 0,
            cpu: vec![Nanos(1)],
            other_loads: Nanos(0),
            beside_generator: true,
            answered: Nanos(0),
            settle: Nanos(0),
            edges: [EdgeReading::default(), EdgeReading::default()],
        }
    }

    #[test]
    fn an_arm_is_silent_that_makes_its_users_wait_for_nothing() {
        let window = Window { settle: Nanos(0), counted: Nanos::from_millis(500) };
        let of = |seconds: u64, ok: u64, was_silent: bool| {
            let mut measured = nothing_measured();
            (measured.answered, measured.made.slice.ok) = (Nanos::from_secs(seconds), ok);
            measured.is_silent(window, was_silent)
        };
        assert!(of(8, 0, false), "its answers are wrong, and late");
        assert!(of(0, 0, true), "nobody waits for them any more");
        assert!(!of(8, 1, false) && !of(0, 1, true), "it answers");
        assert!(!of(1, 0, false), "its wrong answers come quickly");
    }

    fn sleeper() -> Child {
        Command::new("sleep").arg("60").spawn().expect("sleep")
    }

    #[test]
    fn arms_that_are_loaded_together_have_one_window_and_each_its_own_cpu() {
        let meet = Arc::new(Barrier::new(2));
        let mut sessions = [(); 2].map(|()| session(twin(Arc::clone(&meet))));
        let mut idle = sleeper();
        // The servers of both arms are in this process, so it stands for a busy arm.
        let meters = Meters::of_processes([std::process::id(), idle.id()]).expect("meters");
        let window = Window { settle: Nanos::from_millis(50), counted: Nanos::from_millis(200) };
        let stop = AtomicBool::new(false);
        let measured = measure_together(&mut sessions, &[0, 1], &meters, window, &stop);
        idle.kill().and_then(|()| idle.wait()).expect("ended");
        let records: Vec<SliceRecord> = measured
            .expect("a window")
            .iter()
            .zip(0..)
            .map(|(measured, arm)| measured.record(SlicePosition { arm, ..SlicePosition::first(1, 0, None) }))
            .collect();
        // Loaded one after the other, neither would get an answer.
        assert!(records.iter().all(|record| record.counts.ok > 0), "{records:?}");
        assert_eq!(records[0].started_ns, records[1].started_ns);
        let [busy, idle] = [&records[0], &records[1]];
        assert!(busy.cpu_ns_arm > 0 && idle.cpu_ns_other_arms > 0);
        assert_eq!(idle.cpu_ns_arm, 0, "a sleeping process");
    }
}
