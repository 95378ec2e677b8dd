//! What happens before a sampler: pre-processors, then all timers in scope, whose pauses add up.

use super::Compiler;
use super::groups::{is_group, seconds};
use super::scope::{Scope, is_pre_processor, is_timer};
use crate::compound::Compound;
use crate::obstacle::{ObstacleKind, Unsupported};
use crate::tree::{Element, Object};
use model::units::Rate;
use traffic::plan::Stage;
use traffic::scenario::{Action, Expr, Meeting, Pacer, Pause, PauseTerm, PlanDifference, Template};

/// Whose samples a timer counts. The first three are counted for each timer, and the others for all timers together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CountedSamples {
    Thread,
    All,
    Group,
    AllShared,
    GroupShared,
}

impl CountedSamples {
    /// Reads the mode of a Constant Throughput Timer, a number or the words of its window.
    fn of(mode: &str) -> Option<Self> {
        Some(match mode {
            "" | "0" | "this thread only" => Self::Thread,
            "1" | "all active threads" => Self::All,
            "2" | "all active threads in current thread group" => Self::Group,
            "3" | "all active threads (shared)" => Self::AllShared,
            "4" | "all active threads in current thread group (shared)" => Self::GroupShared,
            _ => return None,
        })
    }
}

/// What tells the pacers of timers apart: the file and line of the timer, and the number of the group.
pub(super) type PacerKey = (Option<(Option<String>, u32)>, Option<usize>);

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
            "PreciseThroughputTimer" => terms.extend(self.precise_throughput(object)),
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
        let Some(counted) = CountedSamples::of(object.text("calcMode").trim()) else {
            return self.refuse_mode(object);
        };
        let mut rate = self.template(object, object.text("throughput"));
        // Threads of all groups share the rate, and so each group has the part that its threads are of all.
        if counted == CountedSamples::All && !self.is_of_plan(object) {
            let compound = self.parsed(object, object.text("throughput"));
            let part = self.part_of_threads();
            let known = self.fixed(&compound).and_then(|text| text.trim().parse::<f64>().ok());
            rate = match (part, known) {
                (Some(1.0), _) => rate,
                (Some(part), Some(known)) => Template::literal(&(known * part).to_string()),
                _ => return self.refuse_mode(object),
            };
        }
        let shared = counted != CountedSamples::Thread;
        let pacer = Pacer { rate, per_minute: true, shared, random: false, stages: Vec::new() };
        self.pacer(object, counted, pacer)
    }

    fn refuse_mode<T>(&mut self, object: &Object) -> Option<T> {
        self.refuse(object, ObstacleKind::Setting(Unsupported::TimerMode));
        None
    }

    /// Whether an element stands in the test plan itself, so that it applies to all thread groups.
    fn is_of_plan(&self, object: &Object) -> bool {
        let plan = self.root.children.iter().find(|element| element.object.class == "TestPlan");
        let mut beside = plan.unwrap_or(self.root).children.iter();
        beside.any(|element| (&element.object.file, element.object.line) == (&object.file, object.line))
    }

    /// The part that the threads of the present group are of all threads that run at the same time; `None` where that is not known.
    fn part_of_threads(&self) -> Option<f64> {
        let is_main =
            |group: &&Element| !matches!(group.object.class.as_str(), "SetupThreadGroup" | "PostThreadGroup");
        let plan = self.root.children.iter().find(|element| element.object.class == "TestPlan");
        let children = plan.unwrap_or(self.root).children.iter();
        let groups: Vec<&Element> = children.filter(|child| is_group(child)).filter(is_main).collect();
        let own = self.present_group?;
        if self.program.serial || groups.len() < 2 || !is_main(&own) {
            return Some(1.0);
        }
        let threads = |group: &Element| {
            let text = Compound::parse(group.object.text("ThreadGroup.num_threads")).ok()?;
            let number = self.fixed(&text)?.trim().parse::<f64>().ok()?;
            (group.object.class == "ThreadGroup").then_some(number)
        };
        let all: Option<Vec<f64>> = groups.into_iter().map(threads).collect();
        Some(threads(own)? / all?.iter().sum::<f64>().max(1.0))
    }

    /// A pacer of a timer. All samplers in its scope share it, and other timers that count the same samples do.
    fn pacer(&mut self, object: &Object, counted: CountedSamples, pacer: Pacer) -> Option<PauseTerm> {
        let element = (object.file.clone(), object.line);
        let group = self.program.groups.len();
        let key = match counted {
            CountedSamples::Thread | CountedSamples::All => (Some(element), None),
            CountedSamples::Group => (Some(element), Some(group)),
            CountedSamples::AllShared => (None, None),
            CountedSamples::GroupShared => (None, Some(group)),
        };
        let known = self.pacers.iter().position(|known| *known == key);
        match known {
            Some(known) if self.program.pacers[known] == pacer => Some(PauseTerm::Pace(known)),
            Some(_) => self.refuse_mode(object),
            None => {
                self.pacers.push(key);
                self.program.pacers.push(pacer);
                Some(PauseTerm::Pace(self.program.pacers.len() - 1))
            }
        }
    }

    /// A Precise Throughput Timer: samples of the group begin at random moments, so many in a time on average.
    fn precise_throughput(&mut self, object: &Object) -> Option<PauseTerm> {
        let samples = self.fixed_number(object, "throughput", 100.0)?;
        let period = self.fixed_number(object, "throughputPeriod", 3600.0)?;
        if self.fixed_number(object, "batchSize", 1.0)? > 1.0 {
            self.refuse(object, ObstacleKind::Setting(Unsupported::Batches));
            return None;
        }
        self.differences.insert(PlanDifference::RandomMoments);
        let rate = Template::literal(&(samples / period.max(1.0)).to_string());
        let pacer = Pacer { rate, per_minute: false, shared: true, random: true, stages: Vec::new() };
        self.pacer(object, CountedSamples::Group, pacer)
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
        if stages.is_empty() {
            return None;
        }
        let rate = Template::default();
        let pacer = Pacer { rate, per_minute: false, shared: true, random: false, stages };
        self.pacer(object, CountedSamples::All, pacer)
    }
}

#[cfg(test)]
mod tests {
    use crate::obstacle::{ObstacleKind, Unsupported};
    use crate::{Settings, compile};

    /// A group of so many threads with a request, and what stands before and below it.
    fn group(threads: u32, timer: &str, requests: &str) -> String {
        format!(
            r#"<ThreadGroup testname="g{threads}"><stringProp name="ThreadGroup.num_threads">{threads}</stringProp></ThreadGroup>
            <hashTree>{timer}{requests}</hashTree>"#
        )
    }

    fn timer(mode: u8, rate: &str) -> String {
        format!(
            "<ConstantThroughputTimer testname=\"t\"><intProp name=\"calcMode\">{mode}</intProp>\n\
             <doubleProp><name>throughput</name><value>{rate}</value></doubleProp></ConstantThroughputTimer>\n<hashTree/>"
        )
    }

    fn request(below: &str) -> String {
        format!(
            r#"<HTTPSamplerProxy testname="r"><stringProp name="HTTPSampler.domain">h</stringProp></HTTPSamplerProxy>
            <hashTree>{below}</hashTree>"#
        )
    }

    /// The rates of the pacers, and whether users share them; the last one tells whether the plan is refused.
    fn pacers(content: &str) -> (Vec<(String, bool)>, bool) {
        let plan = format!(
            "<jmeterTestPlan><hashTree><TestPlan/><hashTree>{content}</hashTree></hashTree></jmeterTestPlan>"
        );
        let compiled = compile(&plan, &Settings::default()).expect("a plan");
        let refused = ObstacleKind::Setting(Unsupported::TimerMode);
        let is_refused = compiled.obstacles.iter().any(|obstacle| obstacle.what == refused);
        let pacers = compiled.program.pacers.iter();
        let rates = pacers.map(|pacer| (pacer.rate.as_literal().expect("fixed").to_owned(), pacer.shared));
        (rates.collect(), is_refused)
    }

    fn both(rate: &str, shared: bool) -> Vec<(String, bool)> {
        vec![(rate.to_owned(), shared); 2]
    }

    #[test]
    fn each_timer_counts_its_own_samples() {
        let one = format!("{}\n{}", request(&timer(0, "60")), request(&timer(0, "60")));
        assert_eq!(pacers(&group(1, "", &one)), (both("60", false), false));
        let two = |mode| {
            format!(
                "{}\n{}",
                group(2, &timer(mode, "60"), &request("")),
                group(6, &timer(mode, "60"), &request(""))
            )
        };
        assert_eq!(pacers(&two(2)), (both("60", true), false));
        // The threads of both groups share the rate.
        let parts = vec![("15".to_owned(), true), ("45".to_owned(), true)];
        assert_eq!(pacers(&two(1)), (parts, false));
    }

    #[test]
    fn timers_of_shared_modes_count_together() {
        let two = |mode, other| {
            format!(
                "{}\n{}",
                group(2, &timer(mode, "60"), &request("")),
                group(6, &timer(mode, other), &request(""))
            )
        };
        assert_eq!(pacers(&two(3, "60")), (vec![("60".to_owned(), true)], false));
        assert_eq!(pacers(&two(4, "60")), (both("60", true), false));
        assert!(pacers(&two(3, "90")).1);
        let of_plan =
            format!("{}\n{}\n{}", timer(1, "60"), group(2, "", &request("")), group(6, "", &request("")));
        assert_eq!(pacers(&of_plan), (vec![("60".to_owned(), true)], false));
    }
}
