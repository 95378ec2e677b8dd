//! [`resume`]: a coordinator takes up a load whose first coordinator died. What the first one had is in its
//! file; the rest is still with the agents, which keep what nobody has acknowledged.

use crate::clock::Offset;
use crate::coordinator::{Collector, Fleet, FleetEvent, Member, Outcome, connect, subscribe};
use crate::error::Error;
use crate::frame::{RefusedCounts, decode, encode};
use crate::ledger::Ledger;
use crate::message::{Delta, deltas_of, echo_of};
use crate::store::{ResultFile, read_results};
use serde::{Deserialize, Serialize};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use traffic::plan::{Plan, Window};

/// The first frame of a result file: what another coordinator needs to take up the load.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Beginning {
    /// A hash of what is to be made. It is compared by the same program only.
    load: u64,
    /// When the load began, nanoseconds since the epoch by the coordinator's clock.
    started: u64,
    /// The agents with their clocks, in the order of the shares.
    members: Vec<(String, Offset)>,
}

/// Returns the first frame of the result file of a load.
pub(crate) fn beginning(
    run: &str,
    plan: &Plan,
    window: Window,
    at: SystemTime,
    members: &[Member],
) -> Vec<u8> {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    let members = members.iter().map(|member| (member.id.clone(), member.offset));
    let beginning = Beginning {
        load: hash_of(plan, window),
        started: u64::try_from(since.as_nanos()).unwrap_or(u64::MAX),
        members: members.collect(),
    };
    encode(run, &beginning, &[])
}

/// Takes up the load of the run of `fleet`, which a coordinator with the same plan began. It ends as [`run`](crate::run) does.
///
/// # Errors
///
/// [`Error::NothingToResume`] when there is no such load, [`Error::OtherLoad`] when its plan was another one,
/// and the errors of [`run`](crate::run).
pub fn resume(
    fleet: &Fleet,
    plan: &Plan,
    window: Window,
    stop: &Arc<AtomicBool>,
    on_event: &mut dyn FnMut(FleetEvent<'_>),
) -> Result<Outcome, Error> {
    let (beginning, frames) = read(&fleet.run, &fleet.file)?;
    if beginning.load != hash_of(plan, window) {
        return Err(Error::OtherLoad { run: fleet.run.clone() });
    }
    let ids: Vec<String> = beginning.members.iter().map(|(id, _)| id.clone()).collect();
    let mut ledger = Ledger::new(&ids);
    for frame in &frames {
        // What was stored was accepted before.
        if let Ok((delta, parts)) = decode::<Delta>(&fleet.run, frame) {
            ledger.add(&delta, &parts).ok();
        }
    }
    let member = |(id, offset): (String, Offset)| Member { id, offset, heard: Instant::now(), silent: false };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let link = connect(&fleet.server, fleet.creds.as_ref(), fleet.patience).await?;
        let deltas = subscribe(&link, deltas_of("*")).await?;
        let echoes = subscribe(&link, echo_of(&fleet.run)).await?;
        let at = UNIX_EPOCH + Duration::from_nanos(beginning.started);
        on_event(FleetEvent::Starts { at });
        let collector = Collector {
            fleet,
            link: &link,
            members: beginning.members.into_iter().map(member).collect(),
            ledger,
            file: ResultFile::reopen(&fleet.file)?,
            refused: RefusedCounts::default(),
            down_since: None,
            resumes: true,
        };
        collector.collect(deltas, echoes, stop, on_event).await
    })
}

/// Reads the result file of a run: how it began, and its deltas.
fn read(run: &str, file: &Path) -> Result<(Beginning, Vec<Vec<u8>>), Error> {
    let nothing = || Error::NothingToResume { run: run.to_owned() };
    let mut frames = read_results(file).map_err(|_| nothing())?.into_iter();
    let first = frames.next().ok_or_else(nothing)?;
    let (beginning, _) = decode(run, &first).map_err(|_| nothing())?;
    Ok((beginning, frames.collect()))
}

/// A hash of what a plan asks for, whatever its random numbers are.
fn hash_of(plan: &Plan, window: Window) -> u64 {
    let plan = Plan { seed: 0, ..plan.clone() };
    let mut hasher = DefaultHasher::new();
    serde_json::to_vec(&(plan, window)).unwrap_or_default().hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::units::Nanos;
    use std::net::SocketAddr;
    use traffic::plan::Arrivals;

    #[test]
    fn only_the_same_load_is_taken_up() {
        let address: SocketAddr = "127.0.0.1:1".parse().unwrap();
        let plan = |users, seed| Plan { seed, ..Plan::new(address, Vec::new(), Arrivals::Closed { users }) };
        let window = |seconds| Window { settle: Nanos(0), counted: Nanos::from_secs(seconds) };
        let hash = hash_of(&plan(3, 7), window(5));
        assert_eq!(hash, hash_of(&plan(3, 8), window(5)));
        assert_ne!(hash, hash_of(&plan(4, 7), window(5)));
        assert_ne!(hash, hash_of(&plan(3, 7), window(6)));
    }

    #[test]
    fn a_file_without_a_beginning_is_not_taken_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let is_nothing = || matches!(read("run", &path), Err(Error::NothingToResume { .. }));
        assert!(is_nothing());
        let mut file = ResultFile::create(&path).unwrap();
        assert!(is_nothing());
        file.add(&encode("run", &Delta::default(), &[])).unwrap();
        assert!(is_nothing());
    }
}
