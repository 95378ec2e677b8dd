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

/// What works on the data behind a lock while requests wait for it, where no holder was seen: methods of the class in which they wait, in
/// threads that answer no requests. `None` where none was seen to run.
pub(crate) fn builder_of(inspection: &Inspection, place: &Charged<'_>) -> Option<RequestPlace> {
    let (class, _) = place.spot.method?.rsplit_once('.')?;
    let is_of_class = |method: &String| method.strip_prefix(class).is_some_and(|rest| rest.starts_with('.'));
    let is_one = |stack: &&StackSeen| {
        stack.frames.iter().any(is_of_class) && !stack.frames.iter().any(|method| serves_request(method))
    };
    let samples = &inspection.jfr.as_ref()?.samples;
    let mut spots = Spots::default();
    for stack in samples.iter().filter(is_one) {
        spots.add(stack, &Activity::of(stack), stack.threads as f64);
    }
    let most = spots.all.iter().max_by(|one, other| one.requests.total_cmp(&other.requests))?;
    Some(most.place(spots.requests()))
}

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
