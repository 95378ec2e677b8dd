//! Where users wait for each other.

use super::player::Waiting;
use super::render::Env;
use model::units::Nanos;
use std::sync::atomic::{AtomicU64, Ordering};
use traffic::scenario::Meeting;

/// How often a user looks whether it may go on.
const LOOK: Nanos = Nanos::from_millis(1);

/// A place where users wait for each other. Those of all event loops of this process meet.
#[derive(Debug, Default)]
pub(crate) struct MeetingPlace {
    /// How many users have come.
    come: AtomicU64,
    /// How many of them may go on.
    released: AtomicU64,
}

impl MeetingPlace {
    /// A user comes. Where it is the last one of so many, all of them may go on.
    fn come(&self, users: u64) -> u64 {
        let turn = self.come.fetch_add(1, Ordering::AcqRel) + 1;
        if turn - self.released.load(Ordering::Acquire).min(turn) >= users {
            self.released.fetch_max(turn, Ordering::AcqRel);
        }
        turn
    }

    /// Lets all who have come go on.
    fn release(&self) {
        self.released.fetch_max(self.come.load(Ordering::Acquire), Ordering::AcqRel);
    }
}

impl Env<'_> {
    /// Returns how long a user waits before it looks again whether it may go on; `None` once it may. One whose patience is over goes on
    /// with all who wait.
    pub(crate) fn meet(&mut self, meeting: &Meeting, now: Nanos) -> Option<Nanos> {
        let shared = self.shared;
        let place = &shared.meetings[meeting.number];
        let waiting = match self.player.waiting {
            Some(waiting) => waiting,
            None => {
                let asked = self.number(&meeting.users).unwrap_or(0).max(0) as u64;
                let users = if asked == 0 { shared.users_of_group(self.player.group) } else { asked };
                // Users of other machines do not come here.
                let users = users.div_ceil(shared.plan.share.of).max(1);
                Waiting { turn: place.come(users), since: now }
            }
        };
        let patience = self.number(&meeting.patience).unwrap_or(0).max(0) as u64;
        if patience > 0 && now.since(waiting.since) >= Nanos::from_millis(patience) {
            place.release();
        }
        let may_go_on = place.released.load(Ordering::Acquire) >= waiting.turn;
        self.player.waiting = (!may_go_on).then_some(waiting);
        (!may_go_on).then_some(LOOK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_go_on_when_enough_have_come() {
        let place = MeetingPlace::default();
        let released = || place.released.load(Ordering::Acquire);
        for (users, turn, expected) in [(3, 1, 0), (3, 2, 0), (3, 3, 3), (3, 4, 3), (2, 5, 5)] {
            assert_eq!(place.come(users), turn);
            assert_eq!(released(), expected, "after user {turn}");
        }
        place.come(9);
        place.release();
        assert_eq!(released(), 6);
    }
}
