//! Where the time of a request goes: a bar for each arm at each load, from its user inwards.

use super::Plot;
use super::canvas::{Canvas, class, text_width};
use crate::loads::load_name;
use crate::units;
use record::outcome::Report;
use record::request_time::{RequestTime, TimePlace};
use say::{Language, Say, text};

const WIDTH: f64 = 720.0;
const ROW: f64 = 30.0;
const LEFT: f64 = 190.0;
const RIGHT: f64 = WIDTH - 90.0;
const BAR: f64 = 18.0;

/// The words of the picture.
#[derive(Say)]
enum PictureText<'a> {
    #[say(en = "Where a request's time goes, mean", zh = "请求的时间去向（平均）")]
    Title,
    #[say(en = "{arm}, {load}", zh = "{arm}，{load}")]
    Row { arm: &'a str, load: &'a str },
}

/// A bar for each arm and load; `None` where no time is known.
pub(super) fn plot(report: &Report, language: Language) -> Option<Plot> {
    let all = || report.arms.iter().flat_map(|arm| arm.request_times.iter().map(move |time| (arm, time)));
    let longest = all().map(|(_, time)| time.all.0).fold(0.0, f64::max);
    let mut canvas = Canvas::new(WIDTH);
    let title = text(&PictureText::Title, language);
    canvas.text("title", (12.0, 26.0), &title);
    let places = places(all().map(|(_, time)| time));
    let mut top = legend(&mut canvas, &places, language) + 14.0;
    for (arm, time) in all() {
        let load = &load_name(&time.level, language);
        let name = text(&PictureText::Row { arm: &arm.name, load }, language);
        canvas.text("small end", (LEFT - 10.0, top + 13.0), &units::shortened(&name, 26));
        let end = draw(&mut canvas, &places, time, (longest, top));
        canvas.text("small", (end + 8.0, top + 13.0), &units::seconds(time.all.0));
        top += ROW;
    }
    canvas.height = top;
    (longest > 0.0).then(|| Plot { name: "request-times".to_owned(), title, canvas })
}

/// The places that any bar has, in the order of bars.
fn places<'a>(times: impl Iterator<Item = &'a RequestTime>) -> Vec<&'a TimePlace> {
    let mut places: Vec<&TimePlace> = times.flat_map(|time| &time.parts).map(|part| &part.place).collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// The class of a place: a colour, or no colour for what is unexplained.
fn place_class(places: &[&TimePlace], place: &TimePlace) -> String {
    match place {
        TimePlace::Unexplained => "band".to_owned(),
        _ => class(places.iter().position(|other| *other == place).unwrap_or_default()),
    }
}

/// Draws what each colour means, in rows; returns the y below them.
fn legend(canvas: &mut Canvas, places: &[&TimePlace], language: Language) -> f64 {
    let (mut x, mut y) = (12.0, 48.0);
    for place in places {
        let name = text(*place, language);
        let width = 30.0 + text_width(&name);
        if x > 12.0 && x + width > WIDTH - 10.0 {
            (x, y) = (12.0, y + 20.0);
        }
        canvas.rect(&place_class(places, place), (x, y - 10.0), (11.0, 11.0));
        canvas.text("small", (x + 16.0, y), &name);
        x += width;
    }
    y
}

/// Draws the bar of a time; the longest time fills the width. Returns where the bar ends.
fn draw(canvas: &mut Canvas, places: &[&TimePlace], time: &RequestTime, (longest, top): (f64, f64)) -> f64 {
    let scale = (RIGHT - LEFT) / longest.max(1e-12);
    let mut x = LEFT;
    for part in &time.parts {
        let width = part.seconds.0 * scale;
        canvas.rect(&place_class(places, &part.place), (x, top), (width, BAR));
        x += width;
    }
    x
}
