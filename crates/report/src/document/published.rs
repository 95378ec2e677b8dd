//! Figures that somebody else published, each with the figure of this run.

use crate::brief::Brief;
use crate::comparison::{estimate, verdict_text, why_no_difference};
use crate::sparkline::sparkline;
use crate::units;
use ask::reference::{Need, Reference, ReferenceRow};
use model::measure::{Measure, MeasureScope};
use record::level_figure::LevelFigure;
use record::outcome::{ArmResult, Comparison, Estimate, Level, Report, Verdict};
use record::table_figure::TableFigure;
use say::{Language, Say};

/// A figure that tables have.
#[derive(Clone, Copy)]
pub(super) enum FigureKind<'a> {
    Measure(Measure),
    /// A column of another tool.
    Table(TableFigure),
    Level(LevelFigure),
    /// One that prony does not know.
    Other(&'a str),
}

impl<'a> FigureKind<'a> {
    fn of(id: &'a str) -> Self {
        if let Some(measure) = Measure::from_id(id) {
            return Self::Measure(measure);
        }
        if let Some(figure) = TableFigure::from_id(id) {
            return Self::Table(figure);
        }
        LevelFigure::from_id(id).map_or(Self::Other(id), Self::Level)
    }

    pub(super) fn title(self, language: Language) -> String {
        match self {
            Self::Measure(measure) => measure.name(language).to_owned(),
            Self::Table(figure) => say::text(&figure, language),
            Self::Level(figure) => figure.id().replace('_', " "),
            Self::Other(id) => id.replace('_', " "),
        }
    }

    pub(super) fn value_text(self, value: f64) -> String {
        match self {
            Self::Measure(measure) => units::value(measure, value),
            Self::Table(figure) => figure.value_text(value),
            Self::Level(_) => units::seconds(value),
            Self::Other(_) => format!("{}", (value * 1e4).round() / 1e4),
        }
    }

    /// Whether it has one value in every start.
    fn is_of_start(self) -> bool {
        matches!(self, Self::Measure(measure) if measure.scope() == MeasureScope::Start)
    }

    /// Its estimate at a level; `None` where there is none.
    fn at(self, level: &Level) -> Option<Estimate> {
        match self {
            Self::Measure(measure) => level.estimate(measure).or_else(|| self.of_table(level)),
            Self::Table(_) => self.of_table(level),
            Self::Level(figure) => level.estimate(figure),
            Self::Other(_) => None,
        }
    }

    fn of_table(self, level: &Level) -> Option<Estimate> {
        let figure = match self {
            Self::Measure(measure) => TableFigure::from_id(measure.id())?,
            Self::Table(figure) => figure,
            Self::Level(_) | Self::Other(_) => return None,
        };
        level.table.get(&figure).copied()
    }
}

/// One figure for all rows of the published tables.
pub(super) struct PublishedFigure<'a> {
    pub(super) kind: FigureKind<'a>,
    pub(super) rows: Vec<PublishedRow<'a>>,
}

/// A figure of an arm at a load.
pub(super) struct PublishedRow<'a> {
    pub(super) arm: &'a str,
    /// Users of the closed loop, where that is known.
    pub(super) users: Option<u64>,
    /// The published value, where there is one.
    pub(super) there: Option<f64>,
    /// The value of this run, or why there is none.
    pub(super) here: Result<Estimate, Brief>,
    /// What this run says of the arm against the baseline in that figure.
    pub(super) against: Against<'a>,
    /// The values of the arm at all levels of this run, as bars.
    pub(super) bars: String,
}

/// What a run says of an arm against the baseline in a figure.
pub(super) enum Against<'a> {
    /// The arm is the baseline.
    Baseline,
    Compared(&'a Comparison),
    /// The figure is not compared.
    Nothing,
}

/// The word for the baseline among verdicts.
#[derive(Say)]
#[say(en = "baseline", zh = "基线")]
struct BaselineWord;

impl Against<'_> {
    /// The verdict in a few words; where it is invalid, why.
    pub(super) fn text(&self, language: Language) -> String {
        match self {
            Self::Baseline => say::text(&BaselineWord, language),
            Self::Compared(comparison) if comparison.verdict == Verdict::Invalid => {
                say::text(&why_no_difference(comparison), language)
            }
            Self::Compared(comparison) => verdict_text(comparison, language),
            Self::Nothing => String::new(),
        }
    }
}

/// All figures of the published tables, in the order of the file. Where the file lists them, each has a row for every arm at every level of
/// this run, too.
pub(super) fn figures<'a>(report: &'a Report, reference: &'a Reference) -> Vec<PublishedFigure<'a>> {
    let all = reference.figures();
    let first = all.first().copied();
    let figure = |id: &'a str| {
        let kind = FigureKind::of(id);
        let places = places(report, reference, id, first == Some(id));
        let row = |(arm, users, row): Place<'a>| PublishedRow {
            arm,
            users,
            there: row.and_then(|row| row.values.get(id).copied()),
            here: here(report, kind, arm, users, row.and_then(|row| row.needs)),
            against: against(report, kind, arm, users),
            bars: bars(report, kind, arm),
        };
        PublishedFigure { kind, rows: places.into_iter().map(row).collect() }
    };
    all.into_iter().map(figure).filter(|figure| !figure.rows.is_empty()).collect()
}

/// The arm and the users of a row, and the published row, if there is one.
type Place<'a> = (&'a str, Option<u64>, Option<&'a ReferenceRow>);

/// The rows of a figure: by users, then in the order of the arms; then those that were not measured here.
fn places<'a>(report: &'a Report, reference: &'a Reference, id: &str, is_first: bool) -> Vec<Place<'a>> {
    let has = |row: &&ReferenceRow| row.values.contains_key(id) || is_first && row.values.is_empty();
    let published = reference.rows.iter().filter(has);
    let mut places: Vec<Place<'a>> = published.map(|row| (row.arm.as_str(), row.level, Some(row))).collect();
    if reference.figures.iter().any(|figure| figure == id) {
        for (arm, users) in measured(report, FigureKind::of(id)) {
            if !places.iter().any(|place| (place.0, place.1) == (arm, users)) {
                places.push((arm, users, None));
            }
        }
    }
    let index = |name: &str| report.arms.iter().position(|arm| arm.name == name).unwrap_or(usize::MAX);
    places.sort_by_key(|place| {
        let is_unknown = index(place.0) == usize::MAX;
        (is_unknown, place.1.unwrap_or(u64::MAX), if is_unknown { 0 } else { index(place.0) })
    });
    places
}

/// The arms and levels at which this run has a figure.
fn measured<'a>(report: &'a Report, kind: FigureKind<'_>) -> Vec<(&'a str, Option<u64>)> {
    let of_arm = |arm: &'a ArmResult| {
        if kind.is_of_start() {
            return vec![(arm.name.as_str(), None)];
        }
        let levels = arm.levels.iter().filter(|level| level.load.users.is_some());
        levels.map(|level| (arm.name.as_str(), level.load.users)).collect()
    };
    let is_known = !matches!(kind, FigureKind::Other(_));
    report.arms.iter().filter(|_| is_known).flat_map(of_arm).collect()
}

/// The value of an arm at its level; if no level is named, at the first one that has a value.
fn here(
    report: &Report,
    kind: FigureKind<'_>,
    name: &str,
    users: Option<u64>,
    needs: Option<Need>,
) -> Result<Estimate, Brief> {
    let value = || {
        let arm = report.arms.iter().find(|arm| arm.name == name).ok_or(Brief::ServerNotRun)?;
        if let FigureKind::Measure(measure) = kind
            && !measure.by_level()
            && let Some(once) = estimate(arm, measure, None)
        {
            return Ok(once);
        }
        if kind.is_of_start() {
            return Err(Brief::NotCounting);
        }
        let mut levels = arm.levels.iter().filter(|level| users.is_none_or(|_| level.load.users == users));
        let found = levels.clone().find_map(|level| kind.at(level));
        found.ok_or_else(|| levels.next().map_or(Brief::LevelNotRun, why_missing))
    };
    value().map_err(|why| needs.map_or(why, Brief::Needs))
}

/// Why a level lacks a figure.
fn why_missing(level: &Level) -> Brief {
    match &level.why_invalid {
        Some(reason) => Brief::from(reason),
        None => Brief::NotCounted,
    }
}

/// What the run says of an arm against the baseline in a figure at a level.
fn against<'a>(report: &'a Report, kind: FigureKind<'_>, arm: &str, users: Option<u64>) -> Against<'a> {
    let FigureKind::Measure(measure) = kind else {
        return Against::Nothing;
    };
    if report.design.baseline == arm {
        return Against::Baseline;
    }
    let is_here = |comparison: &&Comparison| {
        let there = comparison.level.as_ref().and_then(|load| load.users);
        comparison.arm == arm && comparison.measure == measure && (there.is_none() || there == users)
    };
    report.comparisons.iter().find(is_here).map_or(Against::Nothing, Against::Compared)
}

/// The values of an arm at all levels, as bars.
fn bars(report: &Report, kind: FigureKind<'_>, name: &str) -> String {
    let Some(arm) = report.arms.iter().find(|arm| arm.name == name && !kind.is_of_start()) else {
        return String::new();
    };
    let levels = arm.levels.iter().filter(|level| level.load.users.is_some());
    let values: Vec<Option<f64>> =
        levels.map(|level| kind.at(level).map(|estimate| estimate.value)).collect();
    sparkline(&values)
}
