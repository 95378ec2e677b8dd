//! What the program tells of JMeter plans.

use ::say::{Say, text};
use jmeter::{Obstacle, ObstacleKind};
use report::Lang;

/// An element that was left out, and why.
#[derive(Say)]
#[say(en = "Left out: {place}: {what}", zh = "略去：{place}：{what}")]
struct LeftOut<'a> {
    place: String,
    what: &'a ObstacleKind,
}

/// Says that an element was left out, and why.
pub(crate) fn left_out(obstacle: &Obstacle, lang: Lang) -> String {
    let left_out = LeftOut { place: obstacle.place(), what: &obstacle.what };
    text(&left_out, lang)
}
