//! What happens before a sampler: pre-processors, then all timers in scope, whose pauses add up.

use super::Compiler;
use super::groups::seconds;
use super::scope::{Scope, is_pre_processor, is_timer};
use crate::obstacle::{ObstacleKind, Unsupported};
use crate::tree::Object;
use model::units::Rate;
use traffic::plan::Stage;
use traffic::scenario::{Action, Expr, Meeting, Pacer, Pause, PauseTerm, Template};

impl<'a> Compiler<'a> {
    /// Returns what happens before a sampler with this scope.
    pub(super) fn before_sample(&mut self, scope: &Scope<'a>) -> Vec<Action> {
        let mut actions = Vec::new();
        for element in scope.outer_first(is_pre_processor) {
            let object = &element.object;
            match object.class.as_str() {
                "UserParameters" if object.text("UserParameters.per_iteration") != "true" => {
                    actions.extend(self.user_parameters(object));
                }
                "UserParameters" | "SampleTimeout" => {}
                _ => {
                    actions.extend(self.element_script(object).map(|script| Action::Script(Box::new(script))))
                }
            }
        }
        let mut terms = Vec::new();
        for element in scope.outer_first(is_timer) {
            match element.object.class.as_str() {
                "SyncTimer" => actions.push(self.meeting(&element.object)),
                _ => self.timer(&element.object, &mut terms),
            }
        }
        if !terms.is_empty() {
            actions.push(Action::Pause(Pause { terms, stops_at_end: true }));
        }
        actions
    }

    /// Compiles a Synchronizing Timer: users meet at all requests in its scope.
    fn meeting(&mut self, object: &Object) -> Action {
        let element = (object.file.clone(), object.line);
        let known = self.meetings.iter().position(|known| *known == element);
        let number = known.unwrap_or_else(|| {
            self.meetings.push(element);
            self.meetings.len() - 1
        });
        Action::Meet(Meeting {
            number,
            users: self.template(object, object.text("groupSize")),
            patience: self.template(object, object.text("timeoutInMs")),
        })
    }

    fn timer(&mut self, object: &Object, terms: &mut Vec<PauseTerm>) {
        let mut of = |property: &str| self.template(object, object.text(property));
        match object.class.as_str() {
            "ConstantTimer" => terms.push(PauseTerm::Milliseconds(of("ConstantTimer.delay"))),
            "UniformRandomTimer" => {
                terms.push(PauseTerm::Milliseconds(of("ConstantTimer.delay")));
                terms.push(PauseTerm::Uniform(of("RandomTimer.range")));
            }
            "GaussianRandomTimer" => {
                // JMeter drops the sign of the sum. Behind an offset that is larger than the deviation, there is hardly one to drop.
                let offset = of("ConstantTimer.delay");
                let deviation = of("RandomTimer.range");
                let absolute = matches!(
                    offset.as_literal().map(|text| text.trim().parse::<f64>()),
                    Some(Ok(0.0) | Err(_))
                );
                terms.push(PauseTerm::Milliseconds(offset));
                terms.push(PauseTerm::Gaussian { deviation, absolute });
            }
            "PoissonRandomTimer" => {
                terms.push(PauseTerm::Milliseconds(of("ConstantTimer.delay")));
                terms.push(PauseTerm::Poisson(of("RandomTimer.range")));
            }
            "ConstantThroughputTimer" => terms.extend(self.throughput(object)),
            "VariableThroughputTimer" => terms.extend(self.variable_throughput(object)),
            _ => {
                if let Some(script) = self.element_script(object) {
                    let pause = Expr::Script(Box::new(script)).into();
                    terms.push(PauseTerm::Milliseconds(pause));
                }
            }
        }
    }

    /// Samples per minute; the mode tells whose samples are counted.
    fn throughput(&mut self, object: &Object) -> Option<PauseTerm> {
        let shared = match object.text("calcMode").trim() {
            "" | "0" | "this thread only" => false,
            // All active threads share the rate, which for equal threads is the same as each having its part of it.
            "1" | "2" | "3" | "4" => true,
            text if text.starts_with("all active threads") => true,
            _ => {
                self.refuse(object, ObstacleKind::Setting(Unsupported::TimerMode));
                return None;
            }
        };
        let rate = self.template(object, object.text("throughput"));
        Some(self.pacer(object, rate, true, shared))
    }

    /// The pacer of a timer, which all samplers in its scope share.
    fn pacer(&mut self, _: &Object, rate: Template, per_minute: bool, shared: bool) -> PauseTerm {
        let pacer = Pacer { rate, per_minute, shared, stages: Vec::new() };
        self.pacer_of(pacer)
    }

    fn pacer_of(&mut self, pacer: Pacer) -> PauseTerm {
        let known = self.program.pacers.iter().position(|known| *known == pacer);
        PauseTerm::Pace(known.unwrap_or_else(|| {
            self.program.pacers.push(pacer);
            self.program.pacers.len() - 1
        }))
    }

    /// The plug-in's timer: rows of a rate per second at the begin, one at the end, and a time. All samples in its scope share it.
    fn variable_throughput(&mut self, object: &Object) -> Option<PauseTerm> {
        let rows = self.rows(object, "load_profile")?;
        let stage = |row: &Vec<f64>| match row.as_slice() {
            [from, to, length, ..] => {
                Some(Stage { from: Rate(from.max(0.0)), to: Rate(to.max(0.0)), length: seconds(*length) })
            }
            _ => None,
        };
        let stages: Vec<Stage> = rows.iter().filter_map(stage).collect();
        (!stages.is_empty()).then(|| {
            self.pacer_of(Pacer { rate: Template::default(), per_minute: false, shared: true, stages })
        })
    }
}
