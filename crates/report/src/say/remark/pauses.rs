//! How often two arms stood still, as a sentence.

use crate::say::numbers;
use model::outcome::Estimate;
use model::remark::Pauses;

pub(super) fn english(pauses: &Pauses) -> String {
    let Pauses {
        arm,
        count,
        seconds,
        each,
        share,
        other,
        other_count,
        other_seconds,
        opens,
    } = pauses;
    let end = match opens {
        true => ", so they are not called the same",
        false => "",
    };
    format!(
        "{arm} stood still {} in {seconds:.0} s ({} s each, {} of the time), {other} {} in {other_seconds:.0} s{end}",
        times(*count),
        numbers::tenths(*each),
        share_of_time(*share),
        times(*other_count)
    )
}

pub(super) fn chinese(pauses: &Pauses) -> String {
    let Pauses {
        arm,
        count,
        seconds,
        each,
        share,
        other,
        other_count,
        other_seconds,
        opens,
    } = pauses;
    let end = match opens {
        true => "，因此不判定为“相同”",
        false => "",
    };
    format!(
        "{arm} 在 {seconds:.0} s 内停顿 {count} 次（每次 {} s，占时间的 {}），{other} 在 {other_seconds:.0} s 内停顿 {other_count} 次{end}",
        numbers::tenths(*each),
        share_of_time(*share)
    )
}

/// Why the arms are not called the same, in a few words.
pub(super) fn english_short(pauses: &Pauses) -> String {
    let Pauses { arm, other, .. } = pauses;
    let [more, less] = [pauses.count, pauses.other_count].map(times);
    format!("{arm} stood still {more}, {other} {less}")
}

/// Like [`english_short`].
pub(super) fn chinese_short(pauses: &Pauses) -> String {
    let Pauses {
        arm,
        count,
        other,
        other_count,
        ..
    } = pauses;
    format!("{arm} 停顿 {count} 次，{other} 停顿 {other_count} 次")
}

fn times(count: u64) -> String {
    match count {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        count => format!("{count} times"),
    }
}

/// A share in per cent with its interval: `5.3 % [3.1, 8.8]`.
fn share_of_time(share: Estimate) -> String {
    let percent = |share: f64| numbers::tenths(100.0 * share);
    let interval = share.low.zip(share.high);
    let interval = interval.map(|(low, high)| format!(" [{}, {}]", percent(low), percent(high)));
    format!("{} %{}", percent(share.value), interval.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::say::testing::assert_said_in_both_languages;

    #[test]
    fn pauses_are_told_with_their_number_and_share() {
        let pauses = Pauses {
            arm: "tomcat-10".to_owned(),
            count: 14,
            seconds: 160.2,
            each: 0.604,
            share: Estimate {
                value: 0.053,
                low: Some(0.029),
                high: Some(0.0886),
            },
            other: "tomcat-9".to_owned(),
            other_count: 3,
            other_seconds: 159.8,
            opens: true,
        };
        let sentence = english(&pauses);
        assert_eq!(
            sentence,
            "tomcat-10 stood still 14 times in 160 s (0.6 s each, 5.3 % [2.9, 8.9] of the time), tomcat-9 3 times in 160 s, so they are not called \
             the same"
        );
        assert_said_in_both_languages(&sentence, &chinese(&pauses));
        let short = english_short(&pauses);
        assert_eq!(short, "tomcat-10 stood still 14 times, tomcat-9 3 times");
        assert_said_in_both_languages(&short, &chinese_short(&pauses));
        assert_eq!([0, 1, 2, 3].map(times), ["never", "once", "twice", "3 times"]);
    }
}
