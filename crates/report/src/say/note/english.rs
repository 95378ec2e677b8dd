//! Notes in English.

use super::{layout, machines, priors};
use crate::say::{self, Lang, text};
use crate::units;
use model::isolation::NotSeparated;
use model::note::{
    ArmCount, ArmNote, Forecast, LeftOut, LoadNote, Part, RunNote, SharedCpus, SlowService, TunedValue,
    Unavailable,
};

/// A note on the starts of a run.
pub(super) fn run(note: &RunNote) -> String {
    match note {
        RunNote::NotCounted {
            start,
            part,
            reason: why,
        } => not_counted(*start, *part, &text(why, Lang::En)),
        RunNote::LatePercentile {
            measure,
            starts,
            all,
            last,
        } => format!(
            "{} did not count in {starts} of {all} starts, because requests were sent late; the last: {}",
            measure.title(),
            text(last, Lang::En)
        ),
        RunNote::SlicesRepeated { repeated, all } => format!(
            "{repeated} of {all} groups of slices were measured again, because the hypervisor had taken more than 10 % of \
             the CPU time, or compilers more than 10 % of a server's"
        ),
        RunNote::LearntPriors(changes) => priors::learnt(changes, Lang::En),
        RunNote::CompilersBusy { .. } | RunNote::BudgetTooShort { .. } | RunNote::StartedAtOnce { .. } => {
            layout::run(note, Lang::En)
        }
        RunNote::PairsChanged { .. } | RunNote::TimeMoved { .. } => pairs_changed(note),
        RunNote::MachineBusy {
            busy,
            all,
            idle,
            waited,
        } => format!(
            "{busy} of {all} starts began while other work used the machine: at worst {:.0} % of it was idle (60 % is \
             wanted), although prony waited {waited:.0} s in all",
            100.0 * idle
        ),
        RunNote::SharedCores(why) => shared_cores(*why),
        RunNote::StartContinued { start, levels } => format!(
            "start {start} was continued after an interruption: {levels} of its levels were measured before, with servers that were started \
             earlier than those of the others"
        ),
        RunNote::WarmupUnsteady { unsteady, all } => format!(
            "{unsteady} of {all} warm-ups reached their cap before the server was steady; all arms were cut by the same rule, \
             but the figures vary more from start to start; a longer `warmup_cap` may help"
        ),
        RunNote::WarmupDrift { arm, baseline, gain } => format!(
            "{} from the first to the last pair of a start, so one of the two was still warming up; double `warmup` and \
             `warmup_cap`",
            match *gain > 0.0 {
                true => format!("{arm} gained {:.1} % on {baseline}", 100.0 * gain),
                false => format!("{arm} lost {:.1} % against {baseline}", -100.0 * gain),
            }
        ),
        RunNote::Interrupted { starts, run } => format!(
            "the run ended before its time, after {starts} complete {}; `prony run --resume {run}` continues it",
            plural(*starts, "start", "starts")
        ),
        RunNote::Forecast(forecast) => self::forecast(forecast),
        RunNote::Legacy(text) => text.clone(),
    }
}

/// Why the generator and the servers shared cores.
fn shared_cores(why: NotSeparated) -> String {
    let share = "generator and servers share their CPUs, so that each takes time from the other";
    match why {
        NotSeparated::FewCpus { usable, online } if usable < online => format!(
            "{share}: prony may use {usable} of the {online} CPUs of this machine (`taskset` or a control group), and from 4 on \
             each side gets its own"
        ),
        NotSeparated::FewCpus { usable, .. } => format!(
            "{share}: the machine has {usable} {}, and from 4 on each side gets its own",
            plural(usable, "CPU", "CPUs")
        ),
        NotSeparated::FewCores { loops, usable } => format!(
            "{share}: cores for {loops} {} of the generator would leave the servers less than half of the {usable} CPUs",
            plural(loops, "event loop", "event loops")
        ),
        NotSeparated::Limit { allowed, left } => {
            format!("{share}: an arm is allowed {allowed} CPUs, and {left} would be left for the servers")
        }
        NotSeparated::Link => {
            format!("{share}: the servers are behind a link; `[machine]` divides the CPUs nevertheless")
        }
        NotSeparated::RanAlready => format!(
            "{share}, if they are on this machine: a server ran already, so its CPUs are not prony's to choose"
        ),
        NotSeparated::OneCore { generator, server } => format!(
            "generator and servers share a core: the CPUs {generator} and {server} are hardware threads of one, so that each slows \
             the other down"
        ),
    }
}

/// How the numbers of pairs were chosen anew. Empty for other notes.
fn pairs_changed(note: &RunNote) -> String {
    match note {
        RunNote::PairsChanged {
            before,
            starts,
            after,
        } => format!(
            "the first {starts} starts had {before} pairs of slices each, the later ones {after}: the first ones showed that \
             this gives the most precise result in the same time"
        ),
        RunNote::TimeMoved {
            starts,
            closed_before,
            closed_after,
            stage_before,
            stage_after,
        } => format!(
            "the first {starts} starts had {closed_before} pairs of slices in the closed loop and {stage_before} at the fixed \
             rate, the later ones {closed_after} and {stage_after}: the first ones showed that this gives the most precise result in the \
             same time"
        ),
        _ => String::new(),
    }
}

fn not_counted(start: u32, part: Part, reason: &str) -> String {
    match part {
        Part::Whole => format!("start {start} did not count and was repeated: {reason}"),
        Part::LastStart => format!("start {start} did not count and was not repeated: {reason}"),
        Part::Level { users } => format!("start {start} did not count at {users} connections: {reason}"),
        Part::CpuPerRequest { users } => {
            format!("CPU per request of start {start} did not count at {users} connections: {reason}")
        }
        Part::FixedRate => format!("start {start} did not count at the fixed rate: {reason}"),
        Part::ResponseTimes => format!("response times of start {start} did not count: {reason}"),
    }
}

fn forecast(forecast: &Forecast) -> String {
    let mut text = format!(
        "after {} starts: {} needs about {} in all to detect a {:.1} % difference",
        forecast.starts,
        forecast.measure.title(),
        time(forecast.needed),
        100.0 * forecast.effect
    );
    if let Some(effect) = forecast.planned_effect {
        text.push_str(&format!(
            "; the planned time can detect one of {:.0} %",
            100.0 * effect
        ));
    }
    if let Some(steadier) = &forecast.steadier {
        text.push_str(&format!(
            "; {} varies less from start to start ({:.1} % against {:.1} %)",
            steadier.measure.title(),
            100.0 * steadier.deviation,
            100.0 * steadier.headline_deviation
        ));
    }
    text
}

fn time(seconds: f64) -> String {
    match seconds {
        s if s < 5400.0 => format!("{:.0} min", (s / 60.0).max(1.0)),
        s if s < 172_800.0 => format!("{:.0} hours", s / 3600.0),
        _ => "several days".to_owned(),
    }
}

/// A note on single arms.
pub(super) fn arm(note: &ArmNote) -> String {
    match note {
        ArmNote::NeverRestarted { arms } => format!(
            "prony did not start {}: a verdict holds for the process that ran, and another start of it may differ by as much \
             as starts vary",
            arms.join(" and ")
        ),
        ArmNote::CertificateNotVerified { arms } => format!(
            "the certificate of {} was not verified, because prony did not make it; that the server holds its key was \
             verified",
            arms.join(" and ")
        ),
        ArmNote::Elsewhere { arms, host } => machines::elsewhere_english(arms, host),
        ArmNote::OnSeveralMachines { machines } => machines::several_english(machines),
        ArmNote::LeftOut(LeftOut { arm, why }) => format!("arm `{arm}` was left out: {}", unavailable(why)),
        ArmNote::RequirementWithoutArm { arm } => {
            format!("`[require.{arm}]` was not judged: this run has no arm of that name")
        }
        ArmNote::UnlikeHeaders {
            arm,
            bytes,
            baseline,
            baseline_bytes,
        } => format!(
            "an answer of {arm} has {bytes:.0} bytes in addition to its body, one of {baseline} {baseline_bytes:.0}: the arms \
             send different headers"
        ),
        ArmNote::NotProfiled { arms, why } => {
            let why = why.as_ref().map_or_else(String::new, |why| format!(": {why}"));
            format!("the CPU time of {} was not profiled{why}", arms.join(", "))
        }
        ArmNote::NoTrial { arm, cause, remedy } => format!(
            "{} of {arm} was not tried: the advice changes the load, the machine or the application, not a setting of the \
             server ({})",
            cause,
            say::remedy(remedy, Lang::En)
        ),
        ArmNote::NothingToTune { arm, cause, remedy } => format!(
            "{cause} of {arm} was not tried, because prony does not know how to set what is too small ({}); with `[tune]` in \
             the file, as \"pool.size\" = {{ env = \"POOL\", values = [8, 16, 32] }}, `--prove` tries these values",
            say::remedy(remedy, Lang::En)
        ),
        ArmNote::Tuned {
            arm,
            cause,
            setting,
            values,
        } => {
            let values = values.iter().map(tuned_value).collect::<Vec<_>>();
            format!(
                "{setting} of {arm} was tried because of {cause}; throughput as a multiple of that without a change: {}",
                values.join(", ")
            )
        }
        ArmNote::TrialFailed { arm, cause, run } => format!(
            "the trial for {} of {arm} has no result: no start of run {run} counted; repeat it on a machine where nothing else \
             runs",
            cause
        ),
    }
}

/// `1.94 [1.80, 2.09] with 16`.
fn tuned_value(tuned: &TunedValue) -> String {
    let value = &tuned.value;
    match &tuned.throughput {
        Some(factor) => {
            let (times, ends) = units::factor(factor);
            format!("{times}{ends} with {value}")
        }
        None => format!("not known with {value}"),
    }
}

fn unavailable(why: &Unavailable) -> String {
    match why {
        Unavailable::HostNotGiven { host } => {
            format!("the address of its host was not given (`--host {host}=ssh://USER@BOX`)")
        }
        Unavailable::NativeImageMissing => {
            "native-image is not installed: it is neither in GRAALVM_HOME/bin nor in JAVA_HOME/bin nor on the PATH".to_owned()
        }
        Unavailable::Other(text) | Unavailable::Legacy(text) => text.clone(),
    }
}

/// A note on the load.
pub(super) fn load(note: &LoadNote) -> String {
    match note {
        LoadNote::SlowService(slow) => slow_service(slow),
        LoadNote::NoSteadyState { users, arms } => format!(
            "no steady state at {users} connections: throughput times service time makes {} users; throughput counts, but \
             service times would still grow (a longer `settle` shows them)",
            list(arms, |arm| format!("{} {}", arm.arm, arm.count))
        ),
        LoadNote::ConnectionsReopened { users, arms } => format!(
            "at {users} connections servers closed idle connections between slices; opened again before the counted parts: {}",
            list(arms, |arm| format!("{} of {}", arm.count, arm.arm))
        ),
        LoadNote::ArmsAtOnce { .. } => layout::load(note, Lang::En),
        LoadNote::SharedCpus(shared) => shared_cpus(shared),
        LoadNote::LoadedTogether {
            rate, for_cpu: true, ..
        } => format!(
            "CPU per request was measured while all arms were loaded at once, with {} each: it is that of an arm beside the others",
            units::rate(*rate)
        ),
        LoadNote::LoadedTogether { arms, rate, .. } => format!(
            "at the fixed rate all {arms} arms were loaded at once, with {} each: figures there are those of an arm beside the \
             others, and what one arm takes from the machine changes the response times of all",
            units::rate(*rate)
        ),
        LoadNote::FellBehind => {
            "the server fell behind the rate: too many requests were outstanding, so the load was ended"
                .to_owned()
        }
        LoadNote::OtherServers(servers) => format!(
            "some requests go to other servers ({}): the totals count all requests, and each step has figures of its own",
            servers.join(", ")
        ),
        LoadNote::LeftOut(elements) => {
            format!(
                "these elements of the plan were left out, because they are not supported: {}",
                elements.join(", ")
            )
        }
        LoadNote::PlanDiffers(difference) => say::plan_difference(*difference, Lang::En).to_owned(),
        LoadNote::Fleet {
            agents,
            of,
            start_spread,
            refused,
        } => say::fleet::whole(*agents, *of, *start_spread, *refused, Lang::En),
        LoadNote::SlicesTogether { slices, median, p99 } => {
            say::fleet::together(*slices, *median, *p99, Lang::En)
        }
        LoadNote::Agent(facts) => say::fleet::agent(facts, Lang::En),
        LoadNote::SmallerLoad(lost) => say::fleet::smaller(lost, Lang::En),
        LoadNote::HiddenTail { mean, p99 } => format!(
            "less than 1 % of the requests took most of the time: the mean, {:.1} ms, is beyond the 99th percentile, {:.1} ms",
            1e3 * mean,
            1e3 * p99
        ),
    }
}

fn shared_cpus(shared: &SharedCpus) -> String {
    let SharedCpus {
        users,
        cpus,
        arm,
        baseline,
        ..
    } = shared;
    let (server, generator) = (1e6 * shared.server, 1e6 * shared.generator);
    let total = server + generator;
    let more = |micros: f64| if micros > 0.0 { "more" } else { "less" };
    let of_both = match server * generator >= 0.0 {
        true => format!(
            "of the {:.1} µs of CPU that {arm} costs {} per request than {baseline}, {:.1} µs were spent in the generator",
            total.abs(),
            more(total),
            generator.abs()
        ),
        false => format!(
            "per request, {arm} costs the server {:.1} µs {} than {baseline}, and the generator {:.1} µs {}",
            server.abs(),
            more(server),
            generator.abs(),
            more(generator)
        ),
    };
    format!(
        "at {users} connections generator and servers share {cpus} CPUs and use all of them, so throughput is that of both \
         together: {of_both}"
    )
}

fn slow_service(slow: &SlowService) -> String {
    let mut text = format!(
        "at {} connections a request takes {:.2} s: slices last {:.1} s, of which {:.1} s count, {}",
        slow.users,
        slow.service,
        slow.slice,
        slow.counted,
        match slow.pairs {
            1 => "one row of slices a start".to_owned(),
            pairs => format!("{pairs} pairs a start"),
        }
    );
    if let Some(rounds) = slow.few_rounds {
        text.push_str(&format!(
            "; a slice holds only {rounds:.0} rounds of requests, so its throughput may be off by up to {:.0} % at its edges",
            100.0 / rounds
        ));
    }
    if let Some(total) = slow.total {
        text.push_str(&format!("; {total:.0} s in all"));
    }
    text
}

fn list(arms: &[ArmCount], write: impl Fn(&ArmCount) -> String) -> String {
    arms.iter().map(write).collect::<Vec<_>>().join(", ")
}

fn plural<'a>(count: usize, one: &'a str, many: &'a str) -> &'a str {
    if count == 1 { one } else { many }
}
