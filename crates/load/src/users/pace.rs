//! Pacers whose moments are random, and those whose rate changes while the load runs.

use super::render::Env;
use model::units::Nanos;
use traffic::plan::Stage;

/// The rate is taken for even within such a time.
const GRAIN: f64 = 0.005;

impl Env<'_> {
    /// How long a pacer delays the user whose moments have random gaps of this mean, in seconds.
    pub(super) fn paced_at_random(&mut self, pacer: usize, mean: f64, now: Nanos) -> Nanos {
        let gap = Nanos::from_secs_f64(mean * self.player.random.exponential());
        let next = &mut self.world.paces[pacer];
        *next = (*next).max(self.world.began) + gap;
        (*next).max(now).since(now)
    }

    /// How long a pacer delays the user. Behind the last stage the whole load ends.
    pub(super) fn paced_in_stages(&mut self, pacer: usize, now: Nanos) -> Nanos {
        let shared = self.shared;
        let stages = &shared.program().pacers[pacer].stages;
        let began = self.world.began;
        let next = &mut self.world.paces[pacer];
        let from = (*next).max(now).since(began).as_secs_f64();
        let Some(at) = after(stages, from, self.world.of as f64) else {
            shared.stop();
            return Nanos(0);
        };
        *next = began + Nanos::from_secs_f64(at);
        (*next).since(now)
    }
}

/// Returns when `count` more events are due after a moment, in seconds from the begin of the stages; `None` if that is behind
/// their end.
fn after(stages: &[Stage], from: f64, count: f64) -> Option<f64> {
    let end: f64 = stages.iter().map(|stage| stage.length.as_secs_f64()).sum();
    let (mut at, mut left) = (from, count);
    while at < end {
        let rate = rate_at(stages, at);
        let step = GRAIN.min(end - at);
        if rate * step >= left {
            return Some(at + left / rate);
        }
        left -= rate * step;
        at += step;
    }
    None
}

fn rate_at(stages: &[Stage], mut at: f64) -> f64 {
    for stage in stages {
        let length = stage.length.as_secs_f64();
        if at < length {
            return stage.from.0 + (stage.to.0 - stage.from.0) * at / length;
        }
        at -= length;
    }
    0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::units::Rate;

    #[test]
    fn events_follow_the_course_of_the_rate() {
        let stage = |from, to, seconds| Stage {
            from: Rate(from),
            to: Rate(to),
            length: Nanos::from_secs_f64(seconds),
        };
        // 50 events in the ramp, 100 in the second behind it.
        let stages = [stage(0.0, 100.0, 1.0), stage(100.0, 100.0, 1.0)];
        let mut at = 0.0;
        let mut times = Vec::new();
        while let Some(next) = after(&stages, at, 1.0) {
            times.push(next);
            at = next;
        }
        let before = |limit: f64| times.iter().filter(|time| **time < limit).count();
        assert!((48..=51).contains(&before(1.0)), "{}", before(1.0));
        assert!((11..=13).contains(&before(0.5)), "{}", before(0.5));
        assert!((147..=150).contains(&times.len()), "{}", times.len());
        assert_eq!(after(&stages, 1.995, 1.0), None);
    }
}
