//! What more users bring: throughput and service time by level, with the knee.

use super::Plot;
use super::axis::{Area, Scale};
use super::canvas::{Canvas, class};
use crate::units;
use crate::words::{self, Lang, Words};
use model::outcome::{ArmResult, Estimate, Report};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 220.0;
/// The knee is the fewest users that reach this share of the most throughput there was.
pub(crate) const KNEE: f64 = 0.95;

/// One arm's estimates by users.
struct Line {
    arm: usize,
    points: Vec<(f64, Estimate)>,
}

/// Two panels over one axis of users; `None` with fewer than two levels.
pub(super) fn plot(report: &Report, lang: Lang) -> Option<Plot> {
    let words = words::of(lang);
    let throughput = lines(report, "throughput");
    if throughput.iter().all(|line| line.points.len() < 2) {
        return None;
    }
    let mut canvas = Canvas::new(WIDTH);
    canvas.text("title", (12.0, 24.0), words.plot_levels);
    let names: Vec<&str> = report.arms.iter().map(|arm| arm.name.as_str()).collect();
    let top = canvas.legend(&names, (12.0, 48.0)) + 30.0;
    let users = throughput
        .iter()
        .flat_map(|line| &line.points)
        .map(|(users, _)| *users);
    let users: Vec<f64> = users.collect();
    let x = Scale::over(users.iter().copied(), (84.0, WIDTH - 20.0), true)?;
    let upper = Panel {
        title: words.throughput,
        top,
        log: false,
    };
    let first = panel(&mut canvas, upper, &throughput, (&x, &users), units::rate)?;
    for line in &throughput {
        if let Some((at, knee)) = knee(line) {
            let place = (x.at(at), first.at(knee.value));
            canvas.circle(&format!("{} knee", class(line.arm)), place, 9.0);
            canvas.marker(line.arm, place);
        }
    }
    let lower = Panel {
        title: words.service_p99,
        top: top + HEIGHT + 50.0,
        log: true,
    };
    canvas.height = lower.top + HEIGHT + 52.0;
    let service = lines(report, "service_p99");
    panel(&mut canvas, lower, &service, (&x, &users), units::seconds);
    let under = canvas.height - 10.0;
    canvas.text("small", (12.0, under), words.plot_levels_below);
    Some(plotted(canvas, words))
}

fn plotted(canvas: Canvas, words: &Words) -> Plot {
    Plot {
        name: "levels".to_owned(),
        title: words.plot_levels.to_owned(),
        canvas,
    }
}

/// The levels at which something was measured, in order of users.
fn lines(report: &Report, measure: &str) -> Vec<Line> {
    let of = |(arm, result): (usize, &ArmResult)| {
        let point = |level: &model::outcome::Level| {
            let users = level.load.users?;
            Some((users as f64, *level.measures.get(measure)?))
        };
        let mut points: Vec<(f64, Estimate)> = result.levels.iter().filter_map(point).collect();
        points.sort_by(|one, next| one.0.total_cmp(&next.0));
        Line { arm, points }
    };
    report.arms.iter().enumerate().map(of).collect()
}

/// `None` where the most throughput is that of the fewest users: then the knee was not seen.
fn knee(line: &Line) -> Option<(f64, Estimate)> {
    let most = line.points.iter().map(|(_, e)| e.value).fold(0.0, f64::max);
    let knee = line.points.iter().position(|(_, e)| e.value >= KNEE * most)?;
    (knee > 0).then(|| line.points[knee])
}

/// One of the two.
struct Panel<'a> {
    title: &'a str,
    top: f64,
    /// Times span decades; throughput is read as a length.
    log: bool,
}

fn panel(
    canvas: &mut Canvas,
    Panel { title, top, log }: Panel<'_>,
    lines: &[Line],
    (x, users): (&Scale, &[f64]),
    said: impl Fn(f64) -> String,
) -> Option<Scale> {
    let area = Area {
        left: 84.0,
        right: WIDTH - 20.0,
        top,
        bottom: top + HEIGHT,
    };
    let all = lines.iter().flat_map(|line| &line.points);
    let ends = all.flat_map(|(_, e)| [Some(e.value), e.low, e.high]).flatten();
    let mut y = Scale::over(ends, (area.bottom, area.top), log)?;
    if !log {
        y = y.with_zero();
    }
    canvas.text("small", (12.0, top - 8.0), title);
    area.rows(canvas, &y, said);
    let mut seen: Vec<f64> = users.to_vec();
    seen.sort_by(f64::total_cmp);
    seen.dedup();
    for users in seen {
        area.column(canvas, x.at(users), &users.to_string());
    }
    for line in lines {
        let class = class(line.arm);
        let places: Vec<(f64, f64)> = line
            .points
            .iter()
            .map(|(u, e)| (x.at(*u), y.at(e.value)))
            .collect();
        canvas.path(&class, &places);
        for ((users, estimate), place) in line.points.iter().zip(&places) {
            if let (Some(low), Some(high)) = (estimate.low, estimate.high) {
                canvas.line(&class, (x.at(*users), y.at(low)), (x.at(*users), y.at(high)));
            }
            canvas.marker(line.arm, *place);
        }
    }
    Some(y)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(values: &[f64]) -> Line {
        let estimate = |value: &f64| Estimate {
            value: *value,
            low: None,
            high: None,
        };
        let points = values.iter().enumerate();
        Line {
            arm: 0,
            points: points
                .map(|(i, value)| (10f64.powi(i as i32), estimate(value)))
                .collect(),
        }
    }

    #[test]
    fn the_knee_is_where_more_users_bring_little_more() {
        let knee = |values: &[f64]| knee(&line(values)).map(|(users, _)| users);
        assert_eq!(knee(&[100.0, 900.0, 980.0, 1000.0]), Some(100.0));
        assert_eq!(knee(&[1000.0, 990.0, 500.0]), None);
        assert_eq!(knee(&[]), None);
    }
}
