//! [`Course`]: when a user of a program with users of its own starts and stops; [`Stages`]: which groups run now.

use model::units::Nanos;
use std::sync::atomic::{AtomicUsize, Ordering};
use traffic::scenario::{GroupArrivals, Program, UserWave};

/// When a user starts and stops, counted from the begin of its stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Course {
    pub(crate) group: usize,
    /// The number of the stage in which it runs.
    pub(crate) stage: usize,
    pub(crate) starts: Nanos,
    /// It begins no request from then on.
    pub(crate) ends: Option<Nanos>,
}

/// Returns the courses of all users, the groups one behind the other; empty if the load profile gives the users.
pub(crate) fn courses(program: &Program) -> Vec<Course> {
    let stages = stage_of_groups(program);
    let mut courses = Vec::new();
    for (group, stage) in stages.into_iter().enumerate() {
        if let GroupArrivals::Users(waves) = &program.groups[group].arrivals {
            for wave in waves {
                courses.extend((0..wave.users).map(|user| of_user(wave, user, group, stage)));
            }
        }
    }
    courses
}

fn of_user(wave: &UserWave, user: u64, group: usize, stage: usize) -> Course {
    let part = |of: Nanos| Nanos((u128::from(of.0) * u128::from(user) / u128::from(wave.users)) as u64);
    Course {
        group,
        stage,
        starts: wave.delay + part(wave.ramp),
        ends: wave.duration.map(|duration| wave.delay + duration + part(wave.ramp_down)),
    }
}

/// The groups of a phase are one stage, unless they run one after the other.
fn stage_of_groups(program: &Program) -> Vec<usize> {
    let mut order: Vec<usize> = (0..program.groups.len()).collect();
    order.sort_by_key(|group| program.groups[*group].phase);
    let mut stages = vec![0; program.groups.len()];
    for pair in order.windows(2) {
        let [before, group] = [pair[0], pair[1]];
        let is_new = program.serial || program.groups[before].phase != program.groups[group].phase;
        stages[group] = stages[before] + usize::from(is_new);
    }
    stages
}

/// Counts the users not yet done, by stage. A stage begins when all event loops are done with earlier ones.
#[derive(Debug, Default)]
pub(crate) struct Stages {
    left: Vec<AtomicUsize>,
}

impl Stages {
    /// All users have still to come.
    pub(crate) fn new<'a>(courses: impl Iterator<Item = &'a Course> + Clone) -> Self {
        let stages = courses.clone().map(|course| course.stage + 1).max().unwrap_or(0);
        let users = |stage: usize| courses.clone().filter(|course| course.stage == stage).count();
        Self { left: (0..stages).map(|stage| AtomicUsize::new(users(stage))).collect() }
    }

    /// Notes that a user of a stage is done.
    pub(crate) fn user_is_done(&self, stage: usize) {
        if let Some(left) = self.left.get(stage) {
            left.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// The first stage in which a user is left; the number of stages if none is.
    pub(crate) fn present(&self) -> usize {
        let has_users = |left: &AtomicUsize| left.load(Ordering::Relaxed) > 0;
        self.left.iter().position(has_users).unwrap_or(self.left.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use traffic::scenario::{GroupPhase, UserGroup};

    fn group(name: &str, phase: GroupPhase, users: u64) -> UserGroup {
        let mut group = UserGroup::new(name, 1);
        group.phase = phase;
        group.arrivals = GroupArrivals::Users(vec![UserWave {
            users,
            delay: Nanos(100),
            ramp: Nanos(40),
            duration: Some(Nanos(1000)),
            ramp_down: Nanos(8),
        }]);
        group
    }

    #[test]
    fn users_start_and_stop_evenly_spaced() {
        let program = Program { groups: vec![group("a", GroupPhase::Main, 4)], ..Program::default() };
        let courses = courses(&program);
        let starts: Vec<u64> = courses.iter().map(|course| course.starts.0).collect();
        let ends: Vec<u64> = courses.iter().filter_map(|course| course.ends).map(|end| end.0).collect();
        assert_eq!(starts, [100, 110, 120, 130]);
        assert_eq!(ends, [1100, 1102, 1104, 1106]);
    }

    #[test]
    fn phases_and_serial_groups_are_stages() {
        let mut program = Program {
            groups: vec![
                group("last", GroupPhase::Teardown, 1),
                group("one", GroupPhase::Main, 2),
                group("first", GroupPhase::Setup, 1),
                group("two", GroupPhase::Main, 1),
            ],
            ..Program::default()
        };
        let stages =
            |program: &Program| courses(program).iter().map(|course| course.stage).collect::<Vec<_>>();
        assert_eq!(stages(&program), [2, 1, 1, 0, 1]);
        program.serial = true;
        assert_eq!(stages(&program), [3, 1, 1, 0, 2]);
        let present = Stages::new(courses(&program).iter());
        assert_eq!(present.present(), 0);
        present.user_is_done(0);
        present.user_is_done(1);
        assert_eq!(present.present(), 1);
        present.user_is_done(1);
        present.user_is_done(2);
        present.user_is_done(3);
        assert_eq!(present.present(), 4);
    }
}
