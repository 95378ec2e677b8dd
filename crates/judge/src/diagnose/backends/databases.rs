//! Causes in a database that tells what it runs: a statement that takes long, and locks.

use super::super::{ArmEvidence, Candidate, CauseRule};
use super::{SLOW_EXCHANGE, chat, is_missed, opens_connections};
use crate::profile::{Charged, Kind, Profile};
use model::units::{Seconds, Share};
use record::finding::{Doing, Finding, Quantity, Remedy, RowLockWait, SlowStatement, TableScan};
use record::inspection::{DatabaseSeen, StatementSeen};

/// Smallest share of the running statements that counts: those that wait for locks, or one statement that takes long.
const MOST: f64 = 0.5;
const MUCH: f64 = 0.3;
/// Fewest rows that are read one after another for each request which are many. Small tables are read so whatever indices they have.
const MANY_ROWS: f64 = 2000.0;
/// Smallest share of the waiting for a lock in which its holder is idle, for that to be told.
const IDLE: f64 = 0.3;

/// Whether a database itself tells what requests wait for in it.
pub(super) fn tells_why(evidence: &ArmEvidence<'_>, profile: &Profile<'_>) -> bool {
    slow_statement(evidence, profile).is_some() || row_lock(evidence, profile).is_some()
}

/// The database that was seen to do most.
fn busiest<'a>(evidence: &ArmEvidence<'a>) -> Option<&'a DatabaseSeen> {
    let all = evidence.inspection?.databases.iter();
    all.max_by_key(|one| one.statements.iter().map(|one| one.running + one.locked).sum::<u64>())
}

/// The sum of a number of all statements, mean over looks.
fn mean(database: &DatabaseSeen, of: fn(&StatementSeen) -> u64) -> f64 {
    let all: u64 = database.statements.iter().map(of).sum();
    all as f64 / f64::from(database.looks.max(1))
}

/// The requests that wait for an answer, and those that queue for a connection whose holders do, as a share of all.
fn behind_answers(profile: &Profile<'_>) -> f64 {
    let asks = |place: &Charged<'_>| {
        let holders = place.holders.as_ref();
        place.spot.kind == Kind::Pool && holders.is_some_and(|holders| holders.doing == Doing::Answer)
    };
    let queued = profile.places.iter().filter(|place| asks(place)).map(|place| place.requests).sum::<f64>();
    (profile.share(Kind::Answer) + profile.part(queued)).min(1.0)
}

fn slow_statement<'a>(
    evidence: &ArmEvidence<'a>,
    profile: &Profile<'_>,
) -> Option<(&'a DatabaseSeen, &'a StatementSeen, Option<TableScan>)> {
    let database = busiest(evidence)?;
    let (running, locked) = (mean(database, |one| one.running), mean(database, |one| one.locked));
    let statement = database.statements.iter().max_by_key(|one| one.running)?;
    let of_it = statement.running as f64 / f64::from(database.looks.max(1)) / running.max(1e-9);
    if of_it < MUCH || locked > running {
        return None;
    }
    let seconds = evidence.inspection?.seconds.0;
    let per_request = |rows: u64| rows as f64 / (profile.rate * seconds).max(1e-9);
    let most = database.scanned.iter().max_by_key(|(_, rows)| **rows);
    let scan = most.map(|(table, rows)| TableScan { table: table.clone(), rows: per_request(*rows) });
    let scan = scan.filter(|scan| scan.rows >= MANY_ROWS);
    let answers_in = |address: &str| {
        let back_end = profile.awaited.back_ends.iter().find(|one| one.address == address);
        back_end.and_then(|back_end| back_end.answers_in()).unwrap_or(Seconds::ZERO)
    };
    // What runs first on a new connection is slow, whatever it is.
    let matters = evidence.answers_matter() && !opens_connections(profile);
    let is_slow = matters && answers_in(&database.address) >= SLOW_EXCHANGE;
    let is_chat = || chat(evidence, profile).is_some_and(|chat| chat.exchanges.often.each < SLOW_EXCHANGE);
    (scan.is_some() || is_slow && !is_chat()).then_some((database, statement, scan))
}

/// Whether a statement skips rows to come to a page. Its literals and parameters are `?`.
fn pages_by_offset(statement: &str) -> bool {
    let words: Vec<String> = statement.split_whitespace().map(str::to_lowercase).collect();
    words.windows(2).any(|two| two[0] == "offset" && two[1] != "0")
        || words.windows(3).any(|three| three[0] == "limit" && three[1] == "?,")
}

/// A database works long for a statement: it reads many rows of a table one after another, or takes long otherwise. Such reading fills
/// CPUs, too.
impl CauseRule for SlowStatement {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let profile = evidence.inside.as_ref().filter(|_| evidence.counts.ok > 0)?;
        let (database, statement, scan) = slow_statement(evidence, profile)?;
        let place = profile.largest(Kind::Answer)?;
        let share = behind_answers(profile);
        let running = mean(database, |one| one.running);
        let of_it = statement.running as f64 / f64::from(database.looks.max(1)) / running;
        let each = profile.seconds(profile.requests(Kind::Answer));
        let remedy = match pages_by_offset(&statement.text) {
            true => Remedy::PageByKey,
            false => Remedy::ExplainStatement { table: scan.as_ref().map(|scan| scan.table.clone()) },
        };
        let finding = Finding::SlowSql(Self {
            backend: database.address.clone(),
            share: Share(share),
            each,
            statement: statement.text.clone(),
            of_it: Share(of_it),
            scan,
            at: place.spot.in_method(),
            busy: Share(evidence.busy()),
        });
        let explains = evidence.effect_of(share);
        is_missed(evidence, share, each).then(|| {
            Candidate::new(explains, finding, remedy)
                .with(Quantity::RequestsWaiting, share)
                .with(Quantity::WaitTime, each)
                .with(Quantity::StatementShare, of_it)
                .with(Quantity::StatementsRunning, running)
                .with(Quantity::CpusInUse, evidence.busy())
        })
    }
}

fn row_lock<'a>(
    evidence: &ArmEvidence<'a>,
    profile: &Profile<'_>,
) -> Option<(&'a DatabaseSeen, &'a StatementSeen)> {
    let database = busiest(evidence)?;
    let (running, locked) = (mean(database, |one| one.running), mean(database, |one| one.locked));
    let statement = database.statements.iter().max_by_key(|one| one.locked)?;
    let is_most = locked >= MOST * (locked + running) && profile.requests(Kind::Answer) > 0.0;
    (locked > 0.0 && is_most).then_some((database, statement))
}

/// Statements wait for a lock that another transaction holds.
impl CauseRule for RowLockWait {
    fn check(evidence: &ArmEvidence<'_>) -> Option<Candidate> {
        let profile = evidence.inside.as_ref().filter(|_| evidence.answers_matter())?;
        let (database, statement) = row_lock(evidence, profile)?;
        let place = profile.largest(Kind::Answer)?;
        let (running, locked) = (mean(database, |one| one.running), mean(database, |one| one.locked));
        let share = behind_answers(profile) * locked / (locked + running);
        let idle = mean(database, |one| one.holder_idle) / locked;
        let finding = Finding::RowLock(Self {
            backend: database.address.clone(),
            share: Share(share),
            statement: statement.text.clone(),
            idle: Some(Share(idle)).filter(|_| idle >= IDLE),
            at: place.spot.in_method(),
            busy: Share(evidence.busy()),
        });
        Some(
            Candidate::new(evidence.effect_of(share), finding, Remedy::EndTransactionSooner)
                .with(Quantity::RequestsWaiting, share)
                .with(Quantity::StatementsLocked, locked)
                .with(Quantity::StatementsRunning, running)
                .with(Quantity::CpusInUse, evidence.busy()),
        )
    }
}
