//! What a suggested number brings, as a clause behind the advice: Little's law in the direction in which it is used.

use crate::words::Lang;
use ::say::numbers::{count, seconds, three};
use model::finding::{Bounded, Lent, Remedy, SizeBound, Sizing};

/// What the number that a remedy suggests brings, with a separator before it; empty where it suggests none.
pub(super) fn sizing(remedy: &Remedy, lang: Lang) -> String {
    let (to, sizing, pool) = match remedy {
        Remedy::EnlargePool { pool, to, sizing } => (*to, *sizing, Some(pool)),
        Remedy::RaiseLimit { to, sizing, .. } => (*to, *sizing, None),
        Remedy::SetProperty { to, sizing, .. } => (Some(*to), *sizing, None),
        _ => (None, None, None),
    };
    let Some((to, sizing)) = to.zip(sizing) else {
        return String::new();
    };
    let stays = stays(sizing.each, pool, lang);
    match lang {
        Lang::En => in_english(to, sizing, &stays),
        Lang::Zh => in_chinese(to, sizing, &stays),
    }
}

fn in_english(to: u64, sizing: Sizing, stays: &str) -> String {
    let (slots, one, gives) = numbers(sizing);
    let each = match slots.as_str() {
        "1" => "the one".to_owned(),
        _ => format!("each of the {slots}"),
    };
    let brings = match sizing.bound {
        SizeBound::Demand => format!("{to} are enough for all that is asked, {gives}/s,"),
        SizeBound::Cpu => format!("{to} give {gives}/s, with which the CPU is full,"),
        SizeBound::Step => format!("{to} give {gives}/s"),
    };
    format!("; {each} gives {one}/s, so {brings} if {stays}")
}

fn in_chinese(to: u64, sizing: Sizing, stays: &str) -> String {
    let (slots, one, gives) = numbers(sizing);
    let brings = match sizing.bound {
        SizeBound::Demand => format!("{to} 个足以应付全部请求（{gives}/s）"),
        SizeBound::Cpu => format!("{to} 个可提供 {gives}/s，此时 CPU 已满"),
        SizeBound::Step => format!("{to} 个可提供 {gives}/s"),
    };
    format!("；现有 {slots} 个，每个提供 {one}/s，因此{brings}，前提是{stays}")
}

/// How many there are, what one of them gives, and what the suggested number gives.
fn numbers(sizing: Sizing) -> (String, String, String) {
    let one = sizing.rate / sizing.slots.max(1e-9);
    (count(sizing.slots), plain(&three(one)), plain(&three(sizing.gives)))
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

/// What has to stay as it is: the time for which one of them is held, or in which what it leads to answers.
fn stays(each: f64, pool: Option<&Bounded>, lang: Lang) -> String {
    let each = plain(&seconds(each));
    let database = match (pool, lang) {
        (Some(Bounded::Library { lends: Lent::Connections, .. }), Lang::En) => "the database",
        (Some(Bounded::Library { lends: Lent::Connections, .. }), Lang::Zh) => "数据库",
        (Some(Bounded::OneConnection { product }), _) => product,
        (Some(Bounded::Client { peer }), _) => peer,
        (_, Lang::En) => return format!("each is still held for {each}"),
        (_, Lang::Zh) => return format!("每次占用仍为 {each}"),
    };
    match lang {
        Lang::En => format!("{database} keeps its {each}"),
        Lang::Zh => format!("{database}仍为 {each}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::say::remedy;
    use model::finding::{ServerSetting, SettingName};
    use model::kind::Kind;

    const TEN: Sizing =
        Sizing { slots: 10.0, rate: 200.0, each: 0.05, gives: 1000.0, bound: SizeBound::Step };

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
        let both = |remedy_of: &Remedy| [Lang::En, Lang::Zh].map(|lang| remedy(remedy_of, lang));
        assert_eq!(
            both(&enlarge(hikari, TEN)),
            [
                "raise `maximumPoolSize` of HikariCP to 50, or hold each for less time: give it back before waiting for \
                 something else; each of the 10 gives 20/s, so 50 give 1000/s if the database keeps its 50 ms",
                "将 HikariCP 的 `maximumPoolSize` 提高到 50，或缩短每次占用的时间：在等待其他事物之前归还；现有 10 个，每个提供 \
                 20/s，因此 50 个可提供 1000/s，前提是数据库仍为 50 ms",
            ]
        );
        let threads = Remedy::RaiseLimit {
            setting: ServerSetting { server: Kind::Tomcat, name: SettingName::Threads },
            to: Some(550),
            sizing: Some(Sizing {
                slots: 200.0,
                rate: 200.0,
                each: 1.0,
                gives: 500.0,
                bound: SizeBound::Demand,
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
            let one = Sizing { slots: 1.0, ..TEN };
            let said = remedy(&enlarge(pool, one), Lang::En);
            assert!(said.contains("the one gives 200/s") && said.ends_with(end), "{said}");
        };
        ends(Bounded::OneConnection { product: "PostgreSQL".to_owned() }, "if PostgreSQL keeps its 50 ms");
        let peer = "10.0.0.1:80".to_owned();
        ends(Bounded::Client { peer }, "if 10.0.0.1:80 keeps its 50 ms");
        ends(Bounded::Permits, "if each is still held for 50 ms");
        let full = Sizing { bound: SizeBound::Cpu, ..TEN };
        let said = remedy(&enlarge(Bounded::Permits, full), Lang::En);
        assert!(said.contains("so 50 give 1000/s, with which the CPU is full, if"), "{said}");
    }
}
