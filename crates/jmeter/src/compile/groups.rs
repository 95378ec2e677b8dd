//! Compiles thread groups.

use super::Compiler;
use super::scope::Scope;
use crate::obstacle::{ObstacleKind, Unsupported};
use crate::tree::{Element, Object};
use model::units::Nanos;
use traffic::scenario::{GroupArrivals, GroupPhase, OnFailure, UserGroup, UserWave, sessions_together};

/// Whether an element is a thread group, known or not.
pub(super) fn is_group(element: &Element) -> bool {
    element.object.class.ends_with("ThreadGroup")
}

/// How the users of a group come, and how often each does everything.
pub(super) struct Coming {
    pub(super) arrivals: GroupArrivals,
    pub(super) iterations: Option<u64>,
}

impl<'a> Compiler<'a> {
    /// Compiles a thread group; `above` are the elements of the test plan's own level.
    pub(super) fn group(&mut self, group: &'a Element, above: &[&'a Element]) {
        let object = &group.object;
        self.check_level(&group.children.iter().collect::<Vec<_>>());
        let coming = match object.class.as_str() {
            "ThreadGroup" | "SetupThreadGroup" | "PostThreadGroup" => self.thread_group(object),
            "UltimateThreadGroup" => self.ultimate(object),
            "SteppingThreadGroup" => self.stepping(object),
            "ConcurrencyThreadGroup" => self.concurrency(object),
            "ArrivalsThreadGroup" => self.arrivals(object),
            "OpenModelThreadGroup" => self.open_model(object),
            _ => {
                self.refuse(object, ObstacleKind::Plugin);
                None
            }
        };
        let same_user = object.text("ThreadGroup.same_user_on_next_iteration") != "false";
        let scope = Scope::of_group(group, above);
        let mut body = self.begin_of_pass(&group.children);
        for element in above {
            body.extend(self.listener(&element.object));
        }
        for child in &group.children {
            body.extend(self.element(child, &scope));
        }
        let (cookies, own_cookies) = self.cookies(group, above, same_user);
        // What is in a group whose users cannot come is compiled all the same, so that all obstacles are found.
        let comes = |coming: &Coming| match &coming.arrivals {
            GroupArrivals::Users(_) => coming.arrivals.users() > 0 && coming.iterations != Some(0),
            _ => true,
        };
        let Some(coming) = coming.filter(comes).filter(|_| !body.is_empty()) else {
            return;
        };
        let name = self.label(object);
        self.program.groups.push(UserGroup {
            name,
            phase: match object.class.as_str() {
                "SetupThreadGroup" => GroupPhase::Setup,
                "PostThreadGroup" => GroupPhase::Teardown,
                _ => GroupPhase::Main,
            },
            arrivals: coming.arrivals,
            iterations: coming.iterations,
            keeps_connections: same_user,
            cookies,
            own_cookies,
            on_failure: match object.text("ThreadGroup.on_sample_error") {
                "startnextloop" => OnFailure::NextIteration,
                "stopthread" => OnFailure::StopUser,
                "stoptest" | "stoptestnow" => OnFailure::StopRun,
                _ => OnFailure::Continue,
            },
            body,
        });
    }

    /// Refuses sessions that begin at a rate where other groups are in the plan that cannot run beside them, and leaves them out.
    pub(super) fn check_sessions(&mut self, groups: &[&'a Element]) {
        let is_session = |group: &UserGroup| matches!(group.arrivals, GroupArrivals::Sessions { .. });
        let ours = &self.program.groups;
        let can_run = ours.len() < 2 || !self.program.serial && sessions_together(ours).is_some();
        if can_run || !ours.iter().any(is_session) {
            return;
        }
        for group in groups {
            if matches!(group.object.class.as_str(), "OpenModelThreadGroup" | "ArrivalsThreadGroup") {
                self.refuse(&group.object, ObstacleKind::Setting(Unsupported::SessionsBesideUsers));
            }
        }
        self.program.groups.retain(|group| !is_session(group));
    }

    fn thread_group(&mut self, object: &Object) -> Option<Coming> {
        // What is missing or empty is 0 for JMeter.
        let users = self.fixed_number(object, "ThreadGroup.num_threads", 0.0);
        let ramp = self.fixed_number(object, "ThreadGroup.ramp_time", 0.0);
        let iterations = self.iterations(object);
        let (mut delay, mut duration) = (Some(0.0), None);
        if object.text("ThreadGroup.scheduler") == "true" {
            delay = self.fixed_number(object, "ThreadGroup.delay", 0.0);
            duration = self.fixed_number(object, "ThreadGroup.duration", 0.0);
            if duration.is_some_and(|duration| duration <= 0.0) {
                self.refuse(object, ObstacleKind::Setting(Unsupported::NoDuration));
                return None;
            }
            duration?;
        }
        let wave = UserWave {
            users: users?.max(0.0) as u64,
            delay: seconds(delay?),
            ramp: seconds(ramp?),
            duration: duration.map(seconds),
            ramp_down: Nanos(0),
        };
        Some(Coming { arrivals: GroupArrivals::Users(vec![wave]), iterations: iterations? })
    }

    /// Returns how often each user does everything: `Some(None)` for ever, `None` for a number that is refused.
    pub(super) fn iterations(&mut self, object: &Object) -> Option<Option<u64>> {
        let Some(controller) = object.object("ThreadGroup.main_controller") else {
            return Some(Some(1));
        };
        let mut controller = controller.clone();
        controller.name.clone_from(&object.name);
        let loops = self.fixed_number(&controller, "LoopController.loops", 0.0)?;
        // A controller that continues for ever begins its loops again, and one that does not say so does too.
        let continues = "LoopController.continue_forever";
        let goes_on = !controller.has(continues) || controller.text(continues).eq_ignore_ascii_case("true");
        let is_endless = loops < 0.0 || loops > 0.0 && goes_on;
        Some((!is_endless).then_some(loops as u64))
    }
}

pub(super) fn seconds(seconds: f64) -> Nanos {
    Nanos((seconds.max(0.0) * 1e9) as u64)
}
