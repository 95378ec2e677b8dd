//! How the time of a night is divided among experiments: the least certain ones get the most.
//!
//! After `n` starts, the half-width of an interval is about `2 sd / √n`, where `sd` is the standard deviation between starts. In margins,
//! that is what an experiment is unsure of. Starts are given so that all experiments end equally unsure.

use crate::pair::why_left_out;
use model::units::Seconds;
use record::outcome::{Comparison, Report, Verdict};
use stats::robust::{median, sd};

/// Fewest starts of a night: with fewer, only differences far larger than the spread between starts can be shown.
pub const FEWEST_STARTS: u32 = 5;
/// Most starts of a night, which is also the most that a run takes.
pub const MOST_STARTS: u32 = 40;
/// The nights that an outlook is made of, the last ones.
const NIGHTS: usize = 5;
/// Halvings of the range in which the unsureness of a night is searched; more change no number of starts.
const HALVINGS: usize = 60;

/// What the last nights of an experiment tell about the next one.
#[derive(Clone, Debug, PartialEq)]
pub struct Outlook {
    /// The last run, whose id begins with its time.
    pub last_run: String,
    /// What a run takes besides its starts: building, fetching and inspecting servers.
    pub other_time: Seconds,
    /// What a start of all arms takes.
    pub start_time: Seconds,
    /// Standard deviation between starts of the comparison of the headline that varies most, in margins.
    pub spread: f64,
}

impl Outlook {
    /// What a run with the fewest starts of a night takes.
    pub fn shortest_time(&self) -> Seconds {
        self.time(FEWEST_STARTS)
    }

    /// What a run with so many starts takes.
    fn time(&self, starts: u32) -> Seconds {
        self.other_time + f64::from(starts) * self.start_time
    }
}

/// Returns what the last nights tell about the next one: medians over the last five as far as they can be compared
/// with the newest. `None` when no headline was compared in them. `reports` are in order, the oldest first.
pub fn outlook(reports: &[Report]) -> Option<Outlook> {
    let newest = reports.last()?;
    let nights = reports.iter().rev().filter(|report| why_left_out(report, newest).is_none());
    let seen: Vec<[f64; 3]> = nights.filter_map(night).take(NIGHTS).collect();
    let of = |column: usize| median(&seen.iter().map(|night| night[column]).collect::<Vec<_>>());
    Some(Outlook {
        last_run: newest.run.clone(),
        other_time: Seconds(of(0)?),
        start_time: Seconds(of(1)?),
        spread: of(2)?,
    })
}

/// The seconds outside the starts, the seconds of a start, and the spread of a night.
fn night(report: &Report) -> Option<[f64; 3]> {
    let design = &report.design;
    let starts = f64::from(design.starts + design.starts_void);
    let measured = design.seconds_per_start.map(|parts| parts.total());
    let seconds = measured.unwrap_or(design.elapsed / starts);
    let other = (design.elapsed - seconds * starts).max(Seconds::ZERO);
    let of_headline = report.comparisons.iter().filter(|comparison| report.is_headline(comparison));
    let spread = of_headline.filter_map(spread).reduce(f64::max)?;
    (seconds.0.is_finite() && seconds > Seconds::ZERO).then_some([other.0, seconds.0, spread])
}

fn spread(comparison: &Comparison) -> Option<f64> {
    if comparison.verdict == Verdict::Invalid {
        return None;
    }
    let logs: Vec<f64> = comparison.per_start.iter().map(|ratio| ratio.ln()).collect();
    let spread = sd(&logs)? / comparison.margin.ln_1p();
    spread.is_finite().then_some(spread)
}

/// An experiment that has not run tonight.
#[derive(Clone, Debug, PartialEq)]
pub struct Waiting {
    /// What its last nights tell; `None` when there were none, or none with a comparison.
    pub outlook: Option<Outlook>,
    /// The budget of its file.
    pub own_time: Option<Seconds>,
}

/// What comes next in a night. Experiments are named by their places among the waiting ones.
#[derive(Clone, Debug, PartialEq)]
pub enum Turn {
    /// This one runs.
    Run {
        place: usize,
        /// The starts that it gets; `None` leaves them to its file.
        starts: Option<u32>,
        /// The time after which no start of it begins, from now.
        time: Seconds,
    },
    /// This one does not run tonight: the time that is left is too short.
    Skip { place: usize },
}

/// Returns what comes next when so much of the night is left; `None` when nothing waits. Experiments without an outlook come first,
/// by the rules of their own files. Then comes the quickest experiment, so that time which others leave goes to the least certain.
pub fn turn(waiting: &[Waiting], left: Seconds) -> Option<Turn> {
    if let Some(place) = waiting.iter().position(|one| one.outlook.is_none()) {
        let share = left / waiting.len() as f64;
        let own = waiting[place].own_time.unwrap_or(share);
        return Some(match share > Seconds::ZERO {
            true => Turn::Run { place, starts: None, time: own.min(share) },
            false => Turn::Skip { place },
        });
    }
    let outlooks: Vec<Outlook> = waiting.iter().filter_map(|one| one.outlook.clone()).collect();
    let given = starts_of_a_night(&outlooks, left);
    if let Some(place) = given.iter().position(Option::is_none) {
        return Some(Turn::Skip { place });
    }
    let takes = |place: usize| outlooks[place].time(given[place].unwrap_or(0));
    let place = (0..given.len()).min_by(|one, other| takes(*one).total_cmp(&takes(*other)))?;
    let others = outlooks.iter().enumerate().filter(|(other, _)| *other != place);
    let kept: Seconds = others.map(|(_, outlook)| outlook.shortest_time()).sum();
    Some(Turn::Run { place, starts: given[place], time: left - kept })
}

/// Returns how many starts each experiment gets of a night that lasts as long as `left`, from [`FEWEST_STARTS`] to [`MOST_STARTS`]. `None`
/// means skipped: when the night is too short for the fewest starts of all, the most recently run experiments are skipped.
fn starts_of_a_night(outlooks: &[Outlook], left: Seconds) -> Vec<Option<u32>> {
    let mut runs: Vec<usize> = (0..outlooks.len()).collect();
    runs.sort_by(|one, other| outlooks[*one].last_run.cmp(&outlooks[*other].last_run));
    let takes = |runs: &[usize], unsure: f64| -> Seconds {
        let taken = runs.iter().map(|run| &outlooks[*run]);
        taken.map(|outlook| outlook.time(starts(outlook, unsure))).sum()
    };
    while takes(&runs, f64::INFINITY) > left {
        // It ends, because no experiment at all takes no time.
        runs.pop();
    }
    let widest = runs.iter().map(|run| outlooks[*run].spread).fold(0.0, f64::max);
    let (mut low, mut high) = (0.0, widest);
    for _ in 0..HALVINGS {
        let unsure = f64::midpoint(low, high);
        match takes(&runs, unsure) > left {
            true => low = unsure,
            false => high = unsure,
        }
    }
    let given = |run: usize| runs.contains(&run).then(|| starts(&outlooks[run], high));
    (0..outlooks.len()).map(given).collect()
}

/// The starts after which an experiment is as unsure as this, `sd / √n` in margins.
fn starts(outlook: &Outlook, unsure: f64) -> u32 {
    // The conversion turns infinity into the largest number, and 0 / 0, of an experiment without any spread, into 0.
    let needed = (outlook.spread / unsure).powi(2) as u32;
    needed.clamp(FEWEST_STARTS, MOST_STARTS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{PLAIN, experiment, record, round};
    use record::rounds::RunRecord;

    fn outlook_of(last_run: &str, start_seconds: f64, spread: f64) -> Outlook {
        let start_time = Seconds(start_seconds);
        Outlook { last_run: last_run.to_owned(), other_time: Seconds::ZERO, start_time, spread }
    }

    #[test]
    fn the_least_certain_experiment_gets_the_most_starts() {
        let nights = [outlook_of("a", 60.0, 1.0), outlook_of("b", 60.0, 2.0), outlook_of("c", 30.0, 1.0)];
        let given = |hours: f64| -> Vec<u32> {
            let starts = starts_of_a_night(&nights, Seconds(hours * 3600.0));
            starts.into_iter().map(|starts| starts.unwrap_or(0)).collect()
        };
        let [a, b, c] = <[u32; 3]>::try_from(given(1.0)).expect("three");
        assert!(a == c && (3 * a..=5 * a).contains(&b), "four times as many: {a} {b} {c}");
        let seconds = 60 * (a + b) + 30 * c;
        assert!((3300..=3600).contains(&seconds), "the hour is used: {seconds} s");
        assert_eq!(given(3.0), [40, 40, 40], "more are never made");
        assert_eq!(given(750.0 / 3600.0), [5, 5, 5]);
        let slow = Outlook { other_time: Seconds(1800.0), ..nights[0].clone() };
        assert_eq!(starts_of_a_night(&[slow], Seconds(2400.0)), [Some(10)], "building takes half an hour");
    }

    #[test]
    fn in_a_short_night_those_wait_that_ran_last() {
        let nights = [
            outlook_of("2026-11-22", 60.0, 1.0),
            outlook_of("2026-11-20", 60.0, 2.0),
            outlook_of("2026-11-21", 60.0, 1.0),
        ];
        let waits = |seconds: f64| -> Vec<bool> {
            let starts = starts_of_a_night(&nights, Seconds(seconds));
            starts.iter().map(Option::is_none).collect()
        };
        assert_eq!(waits(899.0), [true, false, false]);
        assert_eq!(waits(599.0), [true, false, true]);
        assert_eq!(waits(299.0), [true; 3]);
        assert!(starts_of_a_night(&[], Seconds(60.0)).is_empty());
        let quiet = [outlook_of("a", 60.0, 0.0)];
        assert_eq!(starts_of_a_night(&quiet, Seconds(3600.0)), [Some(FEWEST_STARTS)]);
    }

    #[test]
    fn new_experiments_come_first_and_the_least_certain_last() {
        let known = |last_run: &str, spread: f64| Waiting {
            outlook: Some(outlook_of(last_run, 60.0, spread)),
            own_time: Some(Seconds(600.0)),
        };
        let new = Waiting { outlook: None, own_time: Some(Seconds(600.0)) };
        let mut waiting = vec![known("a", 2.0), new, known("b", 1.0)];
        let run = |place, starts, seconds| Some(Turn::Run { place, starts, time: Seconds(seconds) });
        let turn = |waiting: &[Waiting], seconds| turn(waiting, Seconds(seconds));
        assert_eq!(turn(&waiting, 7200.0), run(1, None, 600.0));
        assert_eq!(turn(&waiting, 900.0), run(1, None, 300.0));
        assert_eq!(turn(&waiting, -1.0), Some(Turn::Skip { place: 1 }));
        waiting.remove(1);
        assert_eq!(turn(&waiting, 3000.0), run(1, Some(10), 2700.0));
        assert_eq!(turn(&waiting, 599.0), Some(Turn::Skip { place: 1 }));
        assert_eq!(turn(&waiting[..1], 599.0), run(0, Some(9), 599.0));
        assert_eq!(turn(&[], 7200.0), None);
    }

    /// A run in which the ratios of the starts spread by about `percent` around 1.
    fn report(number: usize, percent: f64) -> Report {
        let record =
            RunRecord { run: format!("run-{number:02}"), elapsed: Seconds(300.0), ..record(experiment()) };
        let factors = [1.0 - percent / 100.0, 1.0, 1.0 + percent / 100.0];
        let rounds: Vec<_> = (1..=3)
            .zip(factors)
            .map(|(start, factor)| round(start, &[PLAIN, PLAIN.better(factor)]))
            .collect();
        crate::report(&record, &rounds)
    }

    #[test]
    fn an_outlook_is_the_median_of_the_last_nights() {
        let nights: Vec<Report> = [9.0, 9.0, 2.0, 4.0, 1.0, 2.0, 8.0]
            .into_iter()
            .zip(0..)
            .map(|(percent, number)| report(number, percent))
            .collect();
        let seen = outlook(&nights).expect("nights");
        assert_eq!((seen.last_run.as_str(), seen.start_time), ("run-06", Seconds(100.0)));
        let alone = outlook(&nights[5..6]).expect("a night");
        assert!(seen.spread > 0.0 && (seen.spread - alone.spread).abs() < 1e-9, "{seen:?} {alone:?}");
        assert_eq!(outlook(&[]), None);
    }
}
