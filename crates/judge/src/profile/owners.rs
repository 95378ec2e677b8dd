//! Who holds the lock that requests wait for, as the JVM tells it of each waiting thread.

use super::activity::Activity;
use super::attribution::Charged;
use super::frames::serves_request;
use super::spots::Spots;
use record::finding::RequestPlace;
use record::inspection::{Inspection, StackSeen};

/// What the holder of a lock does, as a share of the time for which others wait, and the name of its threads, where they answer no
/// requests.
pub(crate) type OwnerSeen = (Option<RequestPlace>, Option<String>);

/// The holder of the lock that requests wait for at a place; `None` where no thread was seen to hold it.
pub(crate) fn lock_owner(inspection: &Inspection, place: &Charged<'_>) -> Option<OwnerSeen> {
    let class = place.spot.waits_for()?;
    let holds = |owner: &&StackSeen| owner.holds.iter().any(|held| held == class);
    let owners: Vec<&StackSeen> = inspection.owners.iter().filter(holds).collect();
    let mut spots = Spots::default();
    for owner in &owners {
        spots.add(owner, &Activity::of(owner), owner.threads as f64);
    }
    let most = spots.all.iter().max_by(|one, other| one.requests.total_cmp(&other.requests))?;
    let largest = most.stacks.iter().max_by(|one, other| one.1.total_cmp(&other.1))?.0;
    let answers = largest.frames.iter().any(|method| serves_request(method));
    let thread = Some(largest.group.clone()).filter(|name| !answers && !name.is_empty());
    Some((Some(most.place(spots.requests())), thread))
}
