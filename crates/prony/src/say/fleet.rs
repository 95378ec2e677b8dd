//! What the progress of a run tells of its fleet.

use ::say::{Say, text};
use fleet::FleetEvent;
use report::Lang;

/// That the agents start, and how another prony can take up their load.
#[derive(Say)]
#[say(
    en = "{event}; if this prony dies, add --resume {run} to take up the load",
    zh = "{event}；若本 prony 意外终止，可加上 --resume {run} 接续负载"
)]
struct StartsResumable<'a> {
    event: &'a FleetEvent<'a>,
    run: &'a str,
}

/// A line about what happened to a fleet in a run; `None` for what the progress shows in other ways. `resumes` is the run by which another
/// prony can take up the load; agents that this one has started end with it, and leave nothing to take up.
pub(crate) fn fleet_event(event: &FleetEvent<'_>, resumes: Option<&str>, lang: Lang) -> Option<String> {
    match (event, resumes) {
        (FleetEvent::Second(_), _) => None,
        (FleetEvent::Starts { .. }, Some(run)) => Some(text(&StartsResumable { event, run }, lang)),
        _ => Some(text(event, lang)),
    }
}
