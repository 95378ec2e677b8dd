//! Causes in HTTP/2: limits of streams, windows, few connections on many event loops, and connections that the server ends.

use super::connections::{effect_of_connects, effect_of_handshakes};
use super::evidence::ArmEvidence;
use super::remedy::{room_for, server_kind};
use super::{Candidate, CauseRule};
use crate::profile::requests_at_locks;
use ask::arm::keys;
use ask::kind::Kind;
use model::units::{Count, Cpus, Seconds, Share};
use record::finding::{
    ConnectionShared, ConnectionsEnded, Finding, LoopsFull, Quantity, Remedy, ServerSetting, SettingName,
    StreamsFull, StreamsQueued, WindowWait,
};

/// Fewest requests in flight, as a multiple of what the server works on at a time, that count as a queue.
const QUEUE: f64 = 1.1;
/// How far the number of busy threads may be from what the limit of streams allows, as a factor, where that limits.
const NEAR: (f64, f64) = (0.6, 1.3);
/// Smallest share of the requests at work that wait for a lock where a limit of requests at work is not what holds them up.
const LOCKED: f64 = 1.0 / 3.0;
/// Smallest share of the requests that wait to write to a connection, and fewest of them for each connection, where they wait for each other.
const SHARED: f64 = 0.4;
const WAITING: f64 = 4.0;
/// Smallest share of the requests whose bodies wait for a window.
const HELD_UP: f64 = 0.1;
/// CPUs that an event loop uses which is full.
const FULL_LOOP: f64 = 0.8;
/// The group of the threads that serve connections, each a number of them.
const LOOPS: &str = "event loops";
/// Fewest connections that the server has to end before the number of requests of a connection means anything.
const ENOUGH: u64 = 10;
/// The attribute of Tomcat's UpgradeProtocol that limits on how many streams of a connection it works at a time, and its default.
const EXECUTION: &str = "UpgradeProtocol.maxConcurrentStreamExecution";
const EXECUTION_DEFAULT: f64 = 20.0;
/// The code of a connection that ends without an error.
const NO_ERROR: &str = "NO_ERROR";

/// Requests wait for a stream in the client, because the server allows no more of them on its connections.
///
/// By Little's law, the time that requests have waited for a stream, over the time that was measured, is the number of requests that wait.
/// More streams would not help where the CPU is full.
impl CauseRule for StreamsFull {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let streams = evidence.streams()?;
        let most = streams.stream_limit? as f64;
        let waiting = streams.stream_waited.0 / evidence.seconds;
        if waiting <= 0.0 || !evidence.waits_matter() {
            return None;
        }
        let connections = streams.connections.max(1);
        let asking = evidence.in_flight + waiting;
        let wanted = room_for(asking / connections as f64);
        let server = server_kind(evidence.arm, evidence.effective);
        let setting = ServerSetting { server, name: SettingName::MaxStreams };
        let each = evidence.in_flight / evidence.request_rate().max(1e-9);
        let finding = Finding::StreamLimit(Self {
            most: Count(most),
            connections,
            waiting: Count(waiting),
            each: Seconds(each),
        });
        let explains = waiting / evidence.users().unwrap_or(asking).max(asking);
        let remedy = Remedy::RaiseLimit { setting, to: Some(wanted), sizing: None };
        let candidate = Candidate::new(explains, finding, remedy)
            .with(Quantity::StreamsMost, most)
            .with(Quantity::Connections, connections as f64)
            .with(Quantity::StreamsWaiting, waiting)
            .with(Quantity::RequestsInFlight, evidence.in_flight);
        let has_key =
            keys::find(SettingName::MaxStreams.key()).and_then(|key| key.called_on(server)).is_some();
        Some(if has_key { candidate.changing(SettingName::MaxStreams.key(), wanted) } else { candidate })
    }
}

/// Tomcat hands no more than a number of streams of a connection to its threads at a time, however many it accepts.
impl CauseRule for StreamsQueued {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let streams = evidence.streams()?;
        let server = server_kind(evidence.arm, evidence.effective);
        if !matches!(server, Kind::Tomcat | Kind::SpringBootTomcat) || !evidence.waits_matter() {
            return None;
        }
        let set = evidence.arm.settings.attributes.get(EXECUTION).and_then(|value| value.parse().ok());
        let most: f64 = set.unwrap_or(EXECUTION_DEFAULT);
        let connections = streams.connections.max(1);
        let slots = most * connections as f64;
        let busy = evidence.inspection?.most(|pool| pool.busy)? as f64;
        if evidence.in_flight < QUEUE * slots || busy < NEAR.0 * slots || busy > NEAR.1 * slots {
            return None;
        }
        let waiting = evidence.in_flight - slots;
        let finding = Finding::StreamExecutionLimit(Self {
            most: Count(most),
            connections,
            in_flight: Count(evidence.in_flight),
            waiting: Count(waiting),
            each: Seconds(slots / evidence.request_rate().max(1e-9)),
        });
        let wanted = room_for(evidence.in_flight / connections as f64);
        // Where the requests of a connection wait for each other, more of them at a time would only wait.
        let at_locks = evidence.inspection.map_or(0.0, requests_at_locks);
        let raises = server == Kind::Tomcat && at_locks < LOCKED * slots;
        let remedy = match raises {
            true => Remedy::SetProperty {
                property: EXECUTION.to_owned(),
                to: wanted,
                ignored_by: None,
                sizing: None,
            },
            false => Remedy::UseMoreConnections,
        };
        let explains = evidence.effect_of(waiting / evidence.in_flight.max(1e-9));
        let candidate = Candidate::new(explains, finding, remedy)
            .with(Quantity::SlotsMost, slots)
            .with(Quantity::Connections, connections as f64)
            .with(Quantity::RequestsInFlight, evidence.in_flight)
            .with(Quantity::RequestRate, evidence.request_rate());
        Some(match raises {
            true => candidate.changing(&format!("attributes.{EXECUTION}"), wanted),
            false => candidate,
        })
    }
}

/// Bodies of requests wait for a window of the server. The windows of the client are so large that no server waits for them.
impl CauseRule for WindowWait {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let streams = evidence.streams()?;
        let share = evidence.per_request(streams.window_waits);
        if share < HELD_UP || !evidence.waits_matter() {
            return None;
        }
        let of_connection = 2 * streams.connection_window_waits > streams.window_waits;
        let waiting = streams.window_waited.0 / evidence.seconds;
        let each = streams.window_waited / streams.window_waits.max(1) as f64;
        let finding = Finding::FlowControlStall(Self { share: Share(share), of_connection, each });
        let server = server_kind(evidence.arm, evidence.effective);
        let setting = window_setting(server, of_connection).map(str::to_owned);
        let explains = evidence.effect_of((waiting / evidence.in_flight.max(1e-9)).min(1.0));
        Some(
            Candidate::new(explains, finding, Remedy::WidenWindow { of_connection, setting })
                .with(Quantity::WindowWaits, share)
                .with(Quantity::WindowWaitTime, each)
                .with(Quantity::RequestsInFlight, evidence.in_flight),
        )
    }
}

/// What a server calls the size of its windows; `None` where that is not known.
const fn window_setting(server: Kind, of_connection: bool) -> Option<&'static str> {
    match (server, of_connection) {
        (Kind::Tomcat, false) => Some("UpgradeProtocol.initialWindowSize"),
        (Kind::Jetty, false) => Some("initialStreamRecvWindow"),
        (Kind::Jetty, true) => Some("initialSessionRecvWindow"),
        _ => None,
    }
}

/// A connection is served by one event loop. With fewer connections than event loops, the others have nothing to do, however full these are.
impl CauseRule for LoopsFull {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let connections = evidence.streams()?.connections.max(1);
        let passed = evidence.passed.as_ref()?;
        let loops = passed.groups.get(LOOPS)?;
        let used = loops.cpu.as_secs_f64() / passed.seconds.max(1e-9);
        let could = f64::from(loops.threads).min(evidence.server_cpus.unwrap_or(evidence.cpus));
        let held = connections as f64;
        if used < FULL_LOOP * held || held >= could || !evidence.waits_matter() {
            return None;
        }
        let finding = Finding::OneConnection(Self {
            connections,
            loops: u64::from(loops.threads),
            idle: u64::from(loops.threads) - connections,
            used: Cpus(used),
        });
        let explains = evidence.effect_of(1.0 - held / could);
        Some(
            Candidate::new(explains, finding, Remedy::UseMoreConnections)
                .with(Quantity::Connections, held)
                .with(Quantity::ServerCpus, evidence.cpu)
                .with(Quantity::CpusInUse, evidence.busy()),
        )
    }
}

/// Answers of a connection are written one at a time. Where most requests wait for that and the CPU is not full, more connections would serve
/// more of them. In a look without a right answer, they may hang at a connection that is broken.
impl CauseRule for ConnectionShared {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let connections = evidence.streams()?.connections.max(1);
        let (profile, _) = evidence.stacks()?;
        let spots = profile.places.iter().map(|place| &place.spot);
        let waiting: f64 = spots.filter(|spot| spot.is_at_connection()).map(|spot| spot.requests).sum();
        let share = profile.part(waiting);
        let is_queue = share >= SHARED && waiting >= WAITING * connections as f64;
        if profile.is_silent || !is_queue || !evidence.waits_matter() {
            return None;
        }
        let finding = Finding::SharedConnection(Self {
            connections,
            in_flight: Count(profile.in_flight),
            waiting: Count(waiting),
            each: profile.seconds(waiting),
        });
        Some(
            Candidate::new(evidence.effect_of(share), finding, Remedy::UseMoreConnections)
                .with(Quantity::Connections, connections as f64)
                .with(Quantity::RequestsInFlight, profile.in_flight)
                .with(Quantity::CpusInUse, evidence.busy()),
        )
    }
}

/// The server ends connections again and again: after a number of requests, or because it takes the load for an attack.
impl CauseRule for ConnectionsEnded {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let streams = evidence.streams()?;
        let goaways: u64 = streams.goaways.values().sum();
        if goaways < ENOUGH {
            return None;
        }
        let errors = streams.goaways.iter().filter(|(code, _)| code.as_str() != NO_ERROR);
        let code = errors.max_by_key(|(_, count)| **count).map(|(code, _)| code.clone());
        let is_defence = code.is_some();
        let each = evidence.counts.requests as f64 / goaways as f64;
        let server = server_kind(evidence.arm, evidence.effective);
        let finding = Finding::GoawayChurn(Self { goaways, each: Count(each), code });
        let explains = effect_of_connects(evidence, 1.0 / each).max(effect_of_handshakes(evidence));
        let candidate = Candidate::new(explains, finding, Remedy::LetConnectionsLive { server, is_defence })
            .with(Quantity::RequestsPerConnection, each)
            .with(Quantity::ConnectionsOpened, evidence.counts.connects as f64)
            .with(Quantity::Requests, evidence.counts.requests as f64);
        // Requests on the connection fail with it.
        Some(Candidate { spoils: is_defence, ..candidate })
    }
}
