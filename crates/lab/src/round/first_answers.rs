//! Asks every arm a few requests before any load: where all answers are wrong, a run would only load a mistake.

use super::{Manner, Round};
use crate::Error;
use crate::slice::{self, RunningArms};
use crate::slice_counts::counts;
use load::Window;
use model::units::Nanos;
use std::time::{Duration, Instant};
use traffic::plan::Arrivals;

/// The users who ask, who leave out their pauses.
const USERS: usize = 2;
/// The time for which they ask at once. The answers to what they have asked by then are waited for.
const WINDOW: Window = Window { settle: Nanos(0), counted: Nanos::from_millis(100) };
/// How long an arm may take until its first right answer. An arm without any answer by then is loaded all the same.
const PATIENCE: Duration = Duration::from_secs(2);

impl Round<'_> {
    /// Asks every arm until it has answered, in the first round.
    ///
    /// # Errors
    ///
    /// [`Error::NoRightAnswer`] when an arm has answered, and not one of its answers is right.
    pub(super) fn check_first_answers(&self, running: &RunningArms) -> Result<(), Error> {
        if !self.earlier.is_empty() || !self.is_loaded_from_here() {
            return Ok(());
        }
        (0..running.servers.len()).try_for_each(|arm| self.check_first_answers_of(running, arm))
    }

    fn check_first_answers_of(&self, running: &RunningArms, arm: usize) -> Result<(), Error> {
        let (begun, arrivals) = (Instant::now(), Arrivals::Closed { users: USERS });
        let manner = Manner { hurry: true, ..Manner::default() };
        let mut session = self.session(arm, &running.servers[arm], arrivals, manner, running.seeds[arm])?;
        let log_before = running.servers[arm].log_tail();
        let mut wrong = Ok(());
        while begun.elapsed() < PATIENCE {
            let measured = slice::measure(session.as_mut(), arm, &running.meters, WINDOW, self.stop)?;
            let slice = &measured.made.slice;
            if slice.ok > 0 {
                return Ok(());
            }
            if slice.faults.iter().any(|(fault, _)| fault.is_reply()) {
                wrong = Err(Error::NoRightAnswer {
                    arm: self.bench.name(arm).to_owned(),
                    faults: counts(slice).faults,
                    first: slice.first_failure().cloned().map(Box::new),
                    log: lines_since(&log_before, running.servers[arm].log_tail()),
                });
            }
        }
        wrong
    }
}

/// The lines of a log that came after its end was this.
fn lines_since(before: &[String], mut now: Vec<String>) -> Vec<String> {
    let known = before.last().and_then(|last| now.iter().rposition(|line| line == last));
    now.split_off(known.map_or(0, |known| known + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_lines_that_the_requests_have_caused_are_shown() {
        let lines = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
        assert_eq!(lines_since(&lines("abc"), lines("abcde")), lines("de"));
        assert_eq!(lines_since(&lines("abc"), lines("abc")), lines(""));
        assert_eq!(lines_since(&lines("abc"), lines("xyz")), lines("xyz"), "the end of it was longer ago");
        assert_eq!(lines_since(&[], lines("a")), lines("a"));
    }
}
