//! Causes in what the server asks other programs for: an answer that comes late, many answers for one request, and what is done again
//! for each question: a name looked up, a connection opened. What is in question is the time between the question on a connection
//! and its answer, as the kernel sees it; what requests wait for beyond that is their own client's.

mod bursts;
mod databases;

use super::evidence::ArmEvidence;
use super::waits::{MOST, candidate, mean_wait, recorded};
use super::{Candidate, CauseRule};
use crate::profile::{BackEnd, Charged, Kind, Profile, driver, is_cache, is_handshake, pool};
use model::units::{Count, Seconds, Share};
use record::finding::{
    AskedOften, BackendWait, ClientWait, ConnectionsOpened, Doing, Exchanges, Finding, InMethod, NameLookups,
    Partner, Quantity, Rank, Remedy, Store,
};
use record::inspection::{StackSeen, Waits};
use std::ops::RangeInclusive;

/// Smallest share of the time of users who think, or who press a full CPU, that is spent with a service before it counts as slow: it always
/// takes its time, those who think do not ask for more, and on a full CPU its answers wait for their turn as all else does.
const SLOW: f64 = 0.5;
/// Smallest share of the requests in flight that queue for their turn to ask a service, for that queue to be named before the
/// service.
const QUEUED: f64 = 1.0 / 3.0;
/// Fewest answers per request, and awaited at a time, that are said to be several.
const SEVERAL: f64 = 1.5;
/// Fewest exchanges with one program for a request to count as chatty. A handful is usual: a session, a user, what was asked for, a
/// commit.
const CHATTY: f64 = 8.0;
/// Smallest share of the users' time in these exchanges that counts.
const CHAT: f64 = 0.25;
/// The longest time for an answer that is no fault of a service on a network, or of the client that hands it on: a load that asks as fast as it
/// is answered always waits for it.
const QUICK_ANSWER: Seconds = Seconds(0.015);
/// How long an answer takes, in seconds, that waits for an acknowledgement which Linux delays by 40 ms.
const DELAYED_ACKNOWLEDGEMENT: RangeInclusive<f64> = 0.040..=0.0445;
/// Fewest small segments of a question, or of its answer, for it to be written in pieces: only the second one waits for an acknowledgement.
const IN_PIECES: f64 = 1.5;
/// The packages of clients of Redis, and the ends of their methods that ask for all keys which fit a pattern.
const REDIS: [&str; 4] =
    ["redis.clients.jedis.", "io.lettuce.core.", "org.redisson.", "org.springframework.data.redis."];
const KEYS: [&str; 3] = [".keys", ".getKeysByPattern", ".findKeysByPattern"];
/// An exchange from which on the program that answers counts as slow, too.
const SLOW_EXCHANGE: Seconds = Seconds(0.005);
/// Fewest connections opened per request that count as one for each.
const EACH: f64 = 0.5;
/// Fewest times that each connection of a pool is opened while it is looked at, for the pool to close them.
const REOPENED: f64 = 2.0;
/// Smallest share of the requests in flight that open connections for others to be an effect of that.
const OPENING: f64 = 0.25;
/// Smallest share of the requests that open a connection which shake hands for TLS, for that to be told.
const SECURED: f64 = 0.3;

/// A service that the server asks is slow: requests wait for its answer.
impl CauseRule for BackendWait {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        evidence.answers_matter().then_some(())?;
        match &evidence.inside {
            Some(profile) => awaited_backend(evidence, profile),
            None => recorded_backend(evidence),
        }
    }
}

/// Whether the time that a service takes is missed, of which this share of the requests in flight waits for an answer, `each` time so long. Users
/// who ask for as much as they get lose by it while there is CPU left. On a full CPU quick answers wait for their turn as all else does.
fn is_missed(evidence: &ArmEvidence<'_>, share: f64, each: Seconds) -> bool {
    let is_full = evidence.cpu_full();
    let is_slow = evidence.effect_of(share) >= SLOW && (each >= SLOW_EXCHANGE || !is_full);
    evidence.presses() && !is_full || evidence.missed.is_some() || is_slow
}

/// Requests were seen to wait for answers, with a thread or without.
fn awaited_backend(evidence: &ArmEvidence<'_>, profile: &Profile<'_>) -> Option<Candidate> {
    let is_awaited = |place: &Charged<'_>| place.spot.kind == Kind::Answer || is_slow_connect(profile, place);
    let place = profile.largest_of(is_awaited)?;
    let all = || profile.places.iter().filter(|place| is_awaited(place));
    let share = profile.part(all().map(|place| place.requests).sum());
    let each = profile.seconds(all().map(|place| place.spot.requests).sum());
    let awaited = &profile.awaited;
    let chat = chat(evidence, profile);
    let is_of_chat = chat.as_ref().is_some_and(|chat| chat.exchanges.often.each < SLOW_EXCHANGE);
    if is_of_chat || databases::tells_why(evidence, profile) || !is_missed(evidence, share, each) {
        return None;
    }
    let named = awaited.address.clone().or(place.spot.what.clone());
    let often = asked_often(profile, awaited.all_awaited());
    let finding = Finding::BackendSlow(BackendWait {
        backend: named.or(place.spot.method_at())?,
        share: Share(share),
        each,
        busy: Share(evidence.busy()),
        addresses: awaited.addresses.max(1),
        at: InMethod::alone(place.spot.method_at()),
        often,
    });
    let expected = evidence.presses() && evidence.missed.is_none() && often.is_none() && each < QUICK_ANSWER;
    if expected && share < MOST {
        return None;
    }
    let pieces = awaited.most_awaited().and_then(|one| one.pieces).filter(|pieces| pieces.0 >= IN_PIECES);
    let remedy = match often {
        _ if asks_for_all_keys(place) => Remedy::AvoidKeys,
        None if DELAYED_ACKNOWLEDGEMENT.contains(&each.0) && pieces.is_some() => Remedy::WriteAtOnce,
        Some(AskedOften { at_once: None, .. }) => Remedy::AskSideBySide,
        None if expected => Remedy::AcceptAnswers,
        _ => Remedy::RelieveBackend,
    };
    let pieces = pieces.filter(|_| remedy == Remedy::WriteAtOnce);
    let candidate = Candidate::new(evidence.effect_of(share), finding, remedy)
        .with(Quantity::RequestsWaiting, share)
        .with(Quantity::WaitTime, each)
        .with(Quantity::AnswersAwaited, awaited.answers)
        .with(Quantity::PeerConnections, awaited.connections)
        .with_if_known(Quantity::SegmentsPerExchange, pieces)
        .with_if_known(Quantity::AnswersPerRequest, often.map(|often| often.per_request))
        .with_if_known(Quantity::AnswerTime, often.map(|often| often.each));
    let queues_to_ask = profile.places.iter().any(|place| is_queue_to_ask(profile, place));
    // Who is asked too often, or on a new connection each time, may look slow because of that.
    let is_second = queues_to_ask || chat.is_some() || opens_connections(profile);
    let rank = if expected { Rank::Last } else { candidate.rank };
    Some(Candidate { is_second, expected, rank, ..candidate })
}

/// Whether most threads that wait for an answer have asked Redis for all keys that fit a pattern.
fn asks_for_all_keys(place: &Charged<'_>) -> bool {
    let asks = |stack: &&StackSeen| {
        let of_redis = |method: &&String| REDIS.iter().any(|client| method.starts_with(client));
        stack.frames.iter().filter(of_redis).any(|method| KEYS.iter().any(|name| method.ends_with(name)))
    };
    let (asking, all) = (place.spot.stacks().filter(asks).count(), place.spot.stacks().count());
    all > 0 && 2 * asking > all
}

/// Whether requests open connections for their questions, and a good part of them is at it.
fn opens_connections(profile: &Profile<'_>) -> bool {
    let opened = opened_per_request(profile).unwrap_or(0.0);
    let opens =
        opened >= EACH || profile.places.iter().any(|place| pool_that_closes(profile, place).is_some());
    opens && profile.share(Kind::Connect) >= OPENING
}

/// Whether requests open connections here that are kept afterwards: then the other side is slow to let them in.
fn is_slow_connect(profile: &Profile<'_>, place: &Charged<'_>) -> bool {
    let is_kept = || opened_per_request(profile).is_none_or(|opened| opened < EACH);
    place.spot.kind == Kind::Connect && is_kept() && pool_that_closes(profile, place).is_none()
}

/// The pool within which most requests of a place open connections, where it opens each of those that there are again and again: it has closed
/// them in between. A pool that grows opens each once.
fn pool_that_closes(profile: &Profile<'_>, place: &Charged<'_>) -> Option<&'static str> {
    if place.spot.kind != Kind::Connect || !are_reopened(profile) {
        return None;
    }
    let product = place.spot.stacks().find_map(|stack| stack.frames.iter().find_map(|one| pool(one)))?;
    let within = place.spot.requests_within(|method| pool(method) == Some(product));
    (within >= MOST * place.spot.requests).then_some(product)
}

/// Whether each of the connections that there are to a program is opened again and again.
fn are_reopened(profile: &Profile<'_>) -> bool {
    let to = freshest(profile);
    let is_so =
        |(to, opened): (&BackEnd, f64)| opened >= REOPENED * to.most.max(1) as f64 && to.fresh >= to.most;
    to.zip(profile.opened_in_all()).is_some_and(is_so)
}

/// The place where requests wait for a pool whose own threads open its connections again and again.
pub(super) fn reopening_pool<'p, 'a>(profile: &'p Profile<'a>) -> Option<&'p Charged<'a>> {
    let product = profile.opening_pool.filter(|_| are_reopened(profile))?;
    profile.largest_of(|place| place.spot.kind == Kind::Pool && place.spot.product() == Some(product))
}

/// The program to which most of the new connections lead.
fn freshest<'e>(profile: &'e Profile<'_>) -> Option<&'e BackEnd> {
    let fresh = profile.awaited.back_ends.iter().filter(|back_end| back_end.fresh > 0);
    fresh.max_by_key(|back_end| back_end.fresh)
}

/// How often requests ask these programs, where that is more often than once.
fn asked_often<'a>(
    profile: &Profile<'_>,
    back_ends: impl Iterator<Item = &'a BackEnd>,
) -> Option<AskedOften> {
    let (mut answers, mut exchanges) = (0.0, 0.0);
    for back_end in back_ends {
        answers += back_end.answers;
        exchanges += back_end.exchanges?;
    }
    let per_request = exchanges / profile.rate;
    (per_request >= SEVERAL).then(|| AskedOften {
        per_request: Count(per_request),
        each: Seconds(answers / exchanges),
        at_once: at_once(profile),
    })
}

/// How many answers a request awaits at a time, where that is more than one.
fn at_once(profile: &Profile<'_>) -> Option<Count> {
    let requests = profile.requests(Kind::Answer);
    let at_once = profile.awaited.answers / requests.max(1e-9);
    (requests > 0.0 && at_once >= SEVERAL).then_some(Count(at_once))
}

/// Whether many requests wait here for their turn, and the requests in turn wait for an answer: the service
/// may be as slow as it is, but too few may ask it.
fn is_queue_to_ask(profile: &Profile<'_>, place: &Charged<'_>) -> bool {
    let asks = place.holders.as_ref().is_some_and(|holders| holders.doing == Doing::Answer);
    asks && profile.part(place.requests) >= QUEUED
}

/// Long waits for answers were recorded, or a side service of the arm took about as long to answer prony as requests took.
fn recorded_backend(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
    let recorded = recorded(evidence, |jfr| &jfr.sockets);
    let (backend, waits, share) = recorded.or_else(|| slow_service(evidence))?;
    is_missed(evidence, share, mean_wait(waits)).then_some(())?;
    let sockets = evidence.inspection.and_then(|inspection| Some(&inspection.jfr.as_ref()?.sockets));
    let finding = Finding::BackendSlow(BackendWait {
        backend,
        share: Share(share),
        each: mean_wait(waits),
        busy: Share(evidence.busy()),
        addresses: sockets.map_or(1, |sockets| sockets.len().max(1) as u64),
        at: InMethod::default(),
        often: None,
    });
    Some(candidate(evidence.effect_of(share), finding, waits, share, Remedy::RelieveBackend))
}

/// A side service of the arm that took about as long to answer prony as requests took.
fn slow_service(evidence: &ArmEvidence<'_>) -> Option<(String, Waits, f64)> {
    let mean = evidence.mean?;
    let services = evidence.passed.as_ref()?.services.iter();
    let timed = services.filter_map(|(name, service)| Some((name, service.answered_in?.as_secs_f64())));
    let (name, took) = timed.max_by(|one, other| one.1.total_cmp(&other.1))?;
    let share = took / mean;
    let waits = Waits { count: 1, seconds: Seconds(took) };
    (share >= MOST).then(|| (name.clone(), waits, share.min(1.0)))
}

/// Many exchanges of each request with one program.
struct Chat {
    exchanges: Exchanges,
    /// The share of the requests' time that they take.
    share: f64,
}

/// Each request asks one program many times for little.
impl CauseRule for Exchanges {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let profile = evidence.inside.as_ref()?;
        let Chat { exchanges, share } = chat(evidence, profile)?;
        let AskedOften { per_request, each, .. } = exchanges.often;
        let explains = chat_explains(evidence, share, per_request);
        let at_most = (explains < 0.99).then(|| 1.0 / (1.0 - explains));
        let store = store(exchanges.product.as_deref(), &exchanges.backend);
        let finding = Finding::ChattyBackend(exchanges);
        Some(
            Candidate::new(explains, finding, Remedy::AskTogether { store, at_most })
                .with(Quantity::AnswersPerRequest, per_request)
                .with(Quantity::AnswerTime, each)
                .with(Quantity::RequestsWaiting, share)
                .with(Quantity::AnswersAwaited, profile.awaited.answers)
                .with(Quantity::CpusInUse, evidence.busy()),
        )
    }
}

/// What is won if one exchange remains of all.
fn chat_explains(evidence: &ArmEvidence<'_>, share: f64, per_request: Count) -> f64 {
    evidence.effect_of(share) * (1.0 - 1.0 / per_request.0)
}

/// The exchanges with the program that most answers are awaited from, at all of its addresses with the same port, if they are many.
/// On a full CPU, requests that run within its driver are in an exchange, too.
fn chat(evidence: &ArmEvidence<'_>, profile: &Profile<'_>) -> Option<Chat> {
    let most = profile.awaited.most_awaited()?;
    let same = || profile.awaited.all_awaited().filter(|other| port(&other.address) == port(&most.address));
    let often = asked_often(profile, same()).filter(|often| often.per_request.0 >= CHATTY)?;
    let place = profile.largest(Kind::Answer)?;
    let product = place.spot.product();
    let of_them = same().map(|one| one.answers).sum::<f64>() / profile.awaited.answers;
    let within = profile.requests_within(|method| product.is_some() && driver(method) == product);
    let share = (profile.share(Kind::Answer) * of_them).max(profile.part(within));
    let waited = profile.seconds(share * profile.in_flight);
    let each = match often.at_once {
        Some(_) => often.each,
        None => waited / often.per_request.0,
    };
    let exchanges = Exchanges {
        backend: most.address.clone(),
        addresses: same().count() as u64,
        product: product.map(str::to_owned),
        often: AskedOften { each, ..often },
        waited,
        request: profile.seconds(profile.in_flight),
        at: place.spot.in_method(),
    };
    (chat_explains(evidence, share, often.per_request) >= CHAT).then_some(Chat { exchanges, share })
}

/// The port of an address.
fn port(address: &str) -> Option<u16> {
    address.rsplit(':').next()?.parse().ok()
}

/// What a program is, by the library with which it is asked, or else by the port that such programs usually have.
fn store(product: Option<&str>, address: &str) -> Store {
    match product {
        Some("PostgreSQL" | "MySQL" | "MariaDB" | "Oracle" | "SQL Server" | "H2" | "HSQLDB") => Store::Sql,
        Some(product) if is_cache(product) => Store::Cache,
        Some("MongoDB" | "Cassandra" | "Couchbase" | "Elasticsearch") => Store::Documents,
        Some(_) => Store::Service,
        None => match port(address) {
            Some(5432 | 3306 | 1521 | 1433) => Store::Sql,
            Some(6379 | 11211) => Store::Cache,
            Some(27017 | 9042 | 9200) => Store::Documents,
            _ => Store::Service,
        },
    }
}

/// Requests look up names.
impl CauseRule for NameLookups {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let (profile, _) = evidence.stacks().filter(|_| evidence.answers_matter())?;
        let place = profile.largest(Kind::LookUp)?;
        let share = profile.share(Kind::LookUp);
        let each = profile.seconds(place.requests);
        let finding = Finding::LookupPerCall(Self {
            share: Share(share),
            each,
            partner: profile.awaited.back_ends.iter().find_map(|one| partner(profile, one)),
            at: place.spot.in_method(),
            busy: Share(evidence.busy()),
        });
        Some(
            Candidate::new(evidence.effect_of(share), finding, Remedy::KeepAddresses)
                .with(Quantity::RequestsWaiting, share)
                .with(Quantity::WaitTime, each)
                .with(Quantity::CpusInUse, evidence.busy()),
        )
    }
}

/// A program with the time that it takes to answer. Exchanges on connections that live for a moment are missing in the kernel's counts; but
/// requests do not wait for less than an answer.
pub(super) fn partner(profile: &Profile<'_>, back_end: &BackEnd) -> Option<Partner> {
    let answers_in = back_end.answers_in()?;
    let waited = profile.seconds(profile.requests(Kind::Answer));
    let each = if waited > Seconds::ZERO { answers_in.min(waited) } else { answers_in };
    Some(Partner { address: back_end.address.clone(), each })
}

/// Connections to other programs that are opened per request; `None` where they were not counted.
fn opened_per_request(profile: &Profile<'_>) -> Option<f64> {
    Some(profile.opened? / profile.rate)
}

/// Requests open a connection each, which also costs CPU: so it counts on a full CPU, too.
impl CauseRule for ConnectionsOpened {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let (profile, _) = evidence.stacks().filter(|_| evidence.counts.ok > 0)?;
        let behind = reopening_pool(profile);
        let place = behind.or_else(|| profile.largest(Kind::Connect))?;
        let per_request = opened_per_request(profile)?;
        let pool = behind.and(profile.opening_pool).or_else(|| pool_that_closes(profile, place));
        if per_request < EACH && pool.is_none() {
            return None;
        }
        let share = profile.share(place.spot.kind);
        let each = profile.seconds(place.requests);
        let secured = profile.requests_within(is_handshake);
        let tls = secured >= SECURED * place.requests;
        let to = freshest(profile);
        let answers_in = profile.seconds(profile.requests(Kind::Answer));
        let finding = Finding::ConnectionPerCall(Self {
            per_request: Count(per_request),
            backend: to.map(|to| to.address.clone()),
            tls,
            pool: pool.map(str::to_owned),
            share: Share(share),
            each,
            partner: to.map(|to| Partner { address: to.address.clone(), each: answers_in }),
            at: place.spot.in_method(),
            busy: Share(evidence.busy()),
        });
        let product = place.spot.stacks().find_map(|stack| stack.frames.iter().find_map(|one| driver(one)));
        let store = store(product, to.map_or("", |to| to.address.as_str()));
        let remedy = match behind.and(pool) {
            Some(product) => Remedy::FindWhyPoolCloses { product: product.to_owned() },
            None => Remedy::KeepBackendConnections { store, tls, pool: pool.map(str::to_owned) },
        };
        Some(
            Candidate::new(evidence.effect_of(share), finding, remedy)
                .with(Quantity::BackendConnectionsPerRequest, per_request)
                .with_if_known(Quantity::BackendConnectionsFresh, to.map(|to| to.fresh as f64))
                .with(Quantity::RequestsWaiting, share)
                .with(Quantity::WaitTime, each)
                .with(Quantity::CpusInUse, evidence.busy()),
        )
    }
}

/// Requests wait for their own client, which has the answer.
impl CauseRule for ClientWait {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let (profile, _) = evidence.stacks().filter(|_| evidence.waits_matter())?;
        let place = profile.largest(Kind::OwnClient)?;
        let share = profile.share(Kind::OwnClient);
        let each = profile.seconds(place.requests);
        let finding = Finding::ClientSlow(Self {
            share: Share(share),
            each,
            partner: partner(profile, profile.awaited.most_awaited()?)?,
            threads: profile.busy_helpers.clone(),
            at: InMethod::alone(place.spot.method_at()),
            busy: Share(evidence.busy()),
        });
        let candidate = Candidate::new(evidence.effect_of(share), finding, Remedy::FreeClient)
            .with(Quantity::RequestsWaiting, share)
            .with(Quantity::WaitTime, each)
            .with(Quantity::AnswersAwaited, profile.awaited.answers)
            .with(Quantity::CpusInUse, evidence.busy());
        // Threads that hand answers on wait for a CPU as all others do, where a load asks as fast as it is answered.
        let expected = evidence.presses() && evidence.missed.is_none() && each < QUICK_ANSWER;
        let rank = if expected { Rank::Last } else { candidate.rank };
        Some(Candidate { expected, rank, ..candidate })
    }
}
