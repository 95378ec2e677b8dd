//! [`Sizing`]: how many of something there should be, by Little's law.

use super::pools::{Bounded, Lent};
use model::units::{Count, Rate, Seconds};
use say::Say;
use say::numbers::three;
use serde::{Deserialize, Serialize};

/// What a larger limit would bring. By Little's law each of `slots` gives `rate / slots` requests per second, because
/// each request holds a slot for `each`. As long as `each` stays as it is, more slots give proportionally more.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sizing {
    /// How many there are.
    pub slots: Count,
    /// Requests that were measured with them.
    pub rate: Rate,
    /// How long a request holds one.
    pub each: Seconds,
    /// Requests that the suggested number gives.
    pub gives: Rate,
    /// Why no more is suggested.
    pub bound: SizeBound,
    /// How many more the server keeps for itself, which the suggested number includes.
    #[serde(default, skip_serializing_if = "is_none")]
    pub kept: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_none(kept: &u64) -> bool {
    *kept == 0
}

/// Why a suggested limit is not larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SizeBound {
    /// Nobody asks for more.
    Demand,
    /// The CPU is full then.
    Cpu,
    /// It is several times the measured number, and nobody knows how anything behind the limit answers so many
    /// requests.
    Step,
}

/// What a suggested number brings, as a clause behind the advice: Little's law in the direction in which it is used.
#[derive(Say)]
#[say(
    en = "; {slots|the one|each of the {slots}} gives {one}/s, so {more} if {stays}{kept?; the server keeps {} more for itself}",
    zh = "；现有 {slots:count} 个，每个提供 {one}/s，因此{more}，前提是{stays}{kept?；服务器自身另占 {} 个}"
)]
pub(super) struct Brings<'a> {
    slots: u64,
    /// Requests per second that each of the slots gives.
    one: String,
    more: MoreSlots,
    stays: Stays<'a>,
    /// How many more the server keeps for itself.
    kept: Option<u64>,
}

impl<'a> Brings<'a> {
    /// `None` where no number is suggested, or where it is not known what it brings.
    pub(super) fn of(to: Option<u64>, sizing: Option<Sizing>, pool: Option<&'a Bounded>) -> Option<Self> {
        let (to, sizing) = to.zip(sizing)?;
        let to = to.saturating_sub(sizing.kept);
        let one = plain(&three(sizing.rate.0 / sizing.slots.0.max(1e-9)));
        let gives = plain(&three(sizing.gives.0));
        let more = match sizing.bound {
            SizeBound::Demand => MoreSlots::Demand { to, gives },
            SizeBound::Cpu => MoreSlots::Cpu { to, gives },
            SizeBound::Step => MoreSlots::Step { to, gives },
        };
        let slots = sizing.slots.0.round_ties_even() as u64;
        let kept = Some(sizing.kept).filter(|kept| *kept > 0);
        Some(Self { slots, one, more, stays: Stays::of(sizing.each, pool), kept })
    }
}

/// What the suggested number gives.
#[derive(Say)]
enum MoreSlots {
    #[say(
        en = "{to} are enough for all that is asked, {gives}/s,",
        zh = "{to} 个足以应付全部请求（{gives}/s）"
    )]
    Demand { to: u64, gives: String },
    #[say(
        en = "{to} give {gives}/s, with which the CPU is full,",
        zh = "{to} 个可提供 {gives}/s，此时 CPU 已满"
    )]
    Cpu { to: u64, gives: String },
    #[say(en = "{to} give {gives}/s", zh = "{to} 个可提供 {gives}/s")]
    Step { to: u64, gives: String },
}

/// What has to stay as it is: the time for which a slot is held, or the time in which the service behind it answers.
#[derive(Say)]
enum Stays<'a> {
    #[say(en = "what answers behind it keeps its {each}", zh = "后端仍为 {each}")]
    Backend { each: String },
    #[say(en = "{name} keeps its {each}", zh = "{name} 仍为 {each}")]
    Named { name: &'a str, each: String },
    #[say(en = "each is still held for {each}", zh = "每次占用仍为 {each}")]
    Held { each: String },
}

impl<'a> Stays<'a> {
    fn of(each: Seconds, pool: Option<&'a Bounded>) -> Self {
        let each = plain(&each.to_string());
        match pool {
            Some(Bounded::Library { lends: Lent::Connections, .. }) => Self::Backend { each },
            Some(Bounded::OneConnection { product: name } | Bounded::Client { peer: name }) => {
                Self::Named { name, each }
            }
            _ => Self::Held { each },
        }
    }
}

/// A number with its unit, without zeros at the end: `20/s`, and not `20.0/s`. It is what is reckoned with, and not how exactly it is known.
fn plain(number: &str) -> String {
    let digits = number.find(|sign: char| !sign.is_ascii_digit() && sign != '.').unwrap_or(number.len());
    let (digits, unit) = number.split_at(digits);
    let digits = match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.'),
        false => digits,
    };
    format!("{digits}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Remedy, ServerSetting, SettingName};
    use ask::kind::Kind;
    use say::{Language, text};

    const TEN: Sizing = Sizing {
        slots: Count(10.0),
        rate: Rate(200.0),
        each: Seconds(0.05),
        gives: Rate(1000.0),
        bound: SizeBound::Step,
        kept: 0,
    };

    fn enlarge(pool: Bounded, sizing: Sizing) -> Remedy {
        Remedy::EnlargePool { pool, to: Some(50), sizing: Some(sizing) }
    }

    #[test]
    fn the_advice_says_what_one_gives_and_what_more_give() {
        let hikari = Bounded::Library {
            product: "HikariCP".to_owned(),
            lends: Lent::Connections,
            setting: Some("maximumPoolSize".to_owned()),
        };
        let both = |remedy: &Remedy| [Language::En, Language::Zh].map(|language| text(remedy, language));
        assert_eq!(
            both(&enlarge(hikari, TEN)),
            [
                "raise `maximumPoolSize` of HikariCP to 50, or hold each for less time: give it back before waiting for \
                 something else; each of the 10 gives 20/s, so 50 give 1000/s if what answers behind it keeps its 50 ms",
                "将 HikariCP 的 `maximumPoolSize` 提高到 50，或缩短每次占用的时间：在等待其他事物之前归还；现有 10 个，每个提供 \
                 20/s，因此 50 个可提供 1000/s，前提是后端仍为 50 ms",
            ]
        );
        let threads = Remedy::RaiseLimit {
            setting: ServerSetting { server: Kind::Tomcat, name: SettingName::Threads },
            to: Some(550),
            sizing: Some(Sizing {
                slots: Count(200.0),
                rate: Rate(200.0),
                each: Seconds(1.0),
                gives: Rate(500.0),
                bound: SizeBound::Demand,
                kept: 0,
            }),
        };
        assert_eq!(
            both(&threads),
            [
                "raise the Connector's `maxThreads` to 550 (`threads = 550`); each of the 200 gives 1/s, so 550 are enough \
                 for all that is asked, 500/s, if each is still held for 1 s",
                "将 Connector 的 `maxThreads` 提高到 550（`threads = 550`）；现有 200 个，每个提供 1/s，因此 550 个足以应付全部请求（500/s），\
                 前提是每次占用仍为 1 s",
            ]
        );
    }

    #[test]
    fn what_has_to_stay_is_named_where_it_is_known() {
        let ends = |pool: Bounded, end: &str| {
            let one = Sizing { slots: Count(1.0), ..TEN };
            let said = text(&enlarge(pool, one), Language::En);
            assert!(said.contains("the one gives 200/s") && said.ends_with(end), "{said}");
        };
        ends(Bounded::OneConnection { product: "PostgreSQL".to_owned() }, "if PostgreSQL keeps its 50 ms");
        let peer = "10.0.0.1:80".to_owned();
        ends(Bounded::Client { peer }, "if 10.0.0.1:80 keeps its 50 ms");
        ends(Bounded::Permits, "if each is still held for 50 ms");
        let beside = text(&enlarge(Bounded::Permits, Sizing { kept: 4, ..TEN }), Language::En);
        assert!(beside.contains("so 46 give") && beside.ends_with("keeps 4 more for itself"), "{beside}");
        let full = Sizing { bound: SizeBound::Cpu, ..TEN };
        let said = text(&enlarge(Bounded::Permits, full), Language::En);
        assert!(said.contains("so 50 give 1000/s, with which the CPU is full, if"), "{said}");
    }
}
