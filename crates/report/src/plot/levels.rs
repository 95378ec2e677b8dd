//! Throughput and service time by number of users, with the knee, and with the figures of others beside them.

use super::Plot;
use super::axis::Scale;
use super::canvas::{Canvas, CanvasPoint, class};
use super::panel::{ArmCurve, ENDS, HEIGHT, Panel, WIDTH, panel};
use crate::units;
use crate::words::Label;
use ask::reference::ReferenceRow;
use model::measure::Measure;
use record::level_figure::LevelFigure;
use record::outcome::{ArmResult, Estimate, Level, Report};
use record::search::{Capacity, Curve, SearchResult};
use record::table_figure::TableFigure;
use say::{Language, Say, text};

/// The words of the plot.
#[derive(Say)]
enum LevelPlotText {
    #[say(en = "Throughput and service time by users", zh = "吞吐量与服务时间随用户数的变化")]
    Title,
    #[say(
        en = "Ring: the knee, the fewest users that reach 95 % of the arm's most throughput. Bars: 95 % intervals.",
        zh = "圆环：拐点，即达到该对象最高吞吐量 95 % 的最少用户数。竖线：各次启动的 95 % 置信区间。"
    )]
    Below,
    #[say(
        en = "Ring: the knee, where 95 % of the highest throughput is reached. Dashed: the fitted universal scalability law. \
              Bars: 95 % intervals.",
        zh = "圆环：拐点，即吞吐量达到最高值 95 % 之处。虚线：拟合的通用可扩展性定律。竖线：95 % 区间。"
    )]
    BelowFitted,
    /// What the points of others are.
    #[say(
        en = "Squares: the post's figures, on its own machines.",
        zh = "方块：原文数据，在原作者的机器上测得。"
    )]
    Others,
}

/// Share of the highest throughput that is reached at the knee.
pub(crate) const KNEE: f64 = 0.95;

/// Number of straight pieces by which a fitted curve is drawn.
const PIECES: u32 = 60;

/// Two panels with the same axis of users; `None` with fewer than two levels.
pub(super) fn plot(report: &Report, language: Language) -> Option<Plot> {
    let throughput = lines(report, Measure::Throughput.into());
    if throughput.iter().all(|line| line.points.len() < 2) {
        return None;
    }
    let mut canvas = Canvas::new(WIDTH);
    canvas.text("title", (12.0, 24.0), &text(&LevelPlotText::Title, language));
    let names: Vec<&str> = report.arms.iter().map(|arm| arm.name.as_str()).collect();
    let top = canvas.legend(&names, (12.0, 48.0)) + 30.0;
    let users = throughput.iter().flat_map(|line| &line.points).map(|(users, _)| *users);
    let users: Vec<f64> = users.collect();
    let x = Scale::over(users.iter().copied(), ENDS, true)?;
    let title = throughput_title(report, language);
    let upper = Panel {
        title: &title,
        top,
        log: false,
        x: &x,
        columns: &users,
        column_label: |users| users.to_string(),
        arms: &names,
    };
    let others = published(report, &[Measure::Throughput.id()]);
    let first = panel(&mut canvas, upper, &throughput, &others, units::rate)?;
    for line in &throughput {
        draw_fit(&mut canvas, report, line, |users, rate| (x.at(users), first.at(rate)));
    }
    let lower = Panel {
        title: &text(&Label::ServiceP99, language),
        top: top + HEIGHT + 50.0,
        log: true,
        x: &x,
        columns: &users,
        column_label: |users| users.to_string(),
        arms: &names,
    };
    let lower_end = lower.top + HEIGHT + 52.0;
    canvas.height = lower_end;
    let service = lines(report, LevelFigure::SERVICE_P99);
    let slow_others = published(report, &[LevelFigure::SERVICE_P99.id(), TableFigure::P99.id()]);
    panel(&mut canvas, lower, &service, &slow_others, units::seconds);
    if !others.is_empty() || !slow_others.is_empty() {
        canvas.text("small", (12.0, canvas.height + 6.0), &text(&LevelPlotText::Others, language));
        canvas.height += 18.0;
    }
    let under = lower_end - 10.0;
    let searched = report.arms.iter().any(|arm| capacity(arm).is_some());
    let legend = match searched {
        true => LevelPlotText::BelowFitted,
        false => LevelPlotText::Below,
    };
    canvas.text("small", (12.0, under), &text(&legend, language));
    Some(finished_plot(canvas, language))
}

/// Draws the curve that fits an arm, and a ring around its knee, where they are known. `place` is where so many users at such a rate stand.
fn draw_fit(canvas: &mut Canvas, report: &Report, line: &ArmCurve, place: impl Fn(f64, f64) -> CanvasPoint) {
    let fitted = capacity(&report.arms[line.arm]);
    if let Some(curve) = fitted.and_then(|found| found.curve.as_ref()) {
        let places = curve_points(curve, line).map(|(users, rate)| place(users, rate));
        let places: Vec<CanvasPoint> = places.collect();
        canvas.path(&format!("dashed {}", class(line.arm)), &places);
    }
    let knee = match fitted {
        Some(found) => knee_of_capacity(found, line),
        None => measured_knee(line),
    };
    if let Some((users, rate)) = knee {
        canvas.circle(&format!("{} knee", class(line.arm)), place(users, rate), 9.0);
    }
}

/// The title of the upper panel. Where users play sessions, it says that requests are counted.
fn throughput_title(report: &Report, language: Language) -> String {
    let counted = match report.plays_sessions() {
        true => text(&Label::Requests, language),
        false => String::new(),
    };
    units::with_counted(Measure::Throughput.name(language), &counted, language)
}

fn finished_plot(canvas: Canvas, language: Language) -> Plot {
    Plot { name: "levels".to_owned(), title: text(&LevelPlotText::Title, language), canvas }
}

/// The figures with one of these names that somebody else published of arms of the run, by users.
fn published(report: &Report, ids: &[&str]) -> Vec<ArmCurve> {
    let rows = report.reference.iter().flat_map(|reference| &reference.rows);
    let point = |row: &ReferenceRow| {
        let arm = report.arms.iter().position(|arm| arm.name == row.arm)?;
        let value = *ids.iter().find_map(|id| row.values.get(*id))?;
        Some(ArmCurve { arm, points: vec![(row.level? as f64, Estimate { value, low: None, high: None })] })
    };
    rows.filter_map(point).collect()
}

/// The estimate of a figure at a level. Where the level does not count, it is what was seen there.
fn at(level: &Level, figure: LevelFigure) -> Option<Estimate> {
    let seen = match figure {
        LevelFigure::Measure(Measure::Throughput) => TableFigure::Throughput,
        _ => TableFigure::P99,
    };
    level.measures.get(&figure).or_else(|| level.table.get(&seen)).copied()
}

/// The estimates of a figure at the levels that have one, in order of users.
fn lines(report: &Report, figure: LevelFigure) -> Vec<ArmCurve> {
    let line = |(arm, result): (usize, &ArmResult)| {
        let point = |level: &Level| Some((level.load.users? as f64, at(level, figure)?));
        let mut points: Vec<(f64, Estimate)> = result.levels.iter().filter_map(point).collect();
        points.sort_by(|one, next| one.0.total_cmp(&next.0));
        ArmCurve { arm, points }
    };
    report.arms.iter().enumerate().map(line).collect()
}

/// The capacity of an arm, if it was searched.
fn capacity(arm: &ArmResult) -> Option<&Capacity> {
    match arm.found.as_ref()? {
        SearchResult::Capacity(capacity) => Some(capacity),
        SearchResult::MaxRate(_) => None,
    }
}

/// Points of the fitted curve over the range of users that was measured, evenly spaced on the logarithmic axis.
fn curve_points<'a>(curve: &'a Curve, line: &ArmCurve) -> impl Iterator<Item = (f64, f64)> + use<'a> {
    let users = line.points.iter().map(|(users, _)| *users);
    let (fewest, most) = (users.clone().fold(f64::INFINITY, f64::min), users.fold(0.0, f64::max));
    (0..=PIECES).map(move |step| {
        let users = fewest * (most / fewest).powf(f64::from(step) / f64::from(PIECES));
        (users, curve.rate(users))
    })
}

/// The users and throughput at the knee of a capacity: on the fitted curve, below the corner of a pool, or at the step nearest to
/// the mean over starts.
fn knee_of_capacity(found: &Capacity, line: &ArmCurve) -> Option<(f64, f64)> {
    let knee = found.knee?;
    let users = knee.users.value;
    if knee.corner {
        return Some((users, KNEE * found.most?.value));
    }
    if let Some(curve) = &found.curve {
        return Some((users, curve.rate(users)));
    }
    let distance = |point: &&(f64, Estimate)| (point.0 / users).ln().abs();
    let nearest = line.points.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    Some((nearest.0, nearest.1.value))
}

/// The first level that reaches [`KNEE`] of the highest throughput. `None` if that is the first or the last level: the knee is then
/// outside the levels that were measured.
fn measured_knee(line: &ArmCurve) -> Option<(f64, f64)> {
    let most = line.points.iter().map(|(_, e)| e.value).fold(0.0, f64::max);
    let knee = line.points.iter().position(|(_, e)| e.value >= KNEE * most)?;
    let (users, estimate) = line.points[knee];
    (0 < knee && knee + 1 < line.points.len()).then_some((users, estimate.value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(values: &[f64]) -> ArmCurve {
        let estimate = |value: &f64| Estimate { value: *value, low: None, high: None };
        let points = values.iter().enumerate();
        ArmCurve {
            arm: 0,
            points: points.map(|(i, value)| (10f64.powi(i as i32), estimate(value))).collect(),
        }
    }

    #[test]
    fn the_knee_is_where_more_users_bring_little_more() {
        let knee = |values: &[f64]| measured_knee(&line(values)).map(|(users, _)| users);
        assert_eq!(knee(&[100.0, 900.0, 980.0, 1000.0]), Some(100.0));
        assert_eq!(knee(&[1000.0, 990.0, 500.0]), None);
        assert_eq!(knee(&[100.0, 200.0, 400.0, 800.0]), None, "it still rises");
        assert_eq!(knee(&[]), None);
    }
}
