//! Why nothing that a diagnosis suggests was tried. A remedy has its words in this crate, and so has what quotes one.

use super::remedy;
use crate::words::Lang;
use ::say::{Say, text};
use model::finding::Cause;
use model::note;

/// A note on what was not tried, with the advice as a sentence.
#[derive(Say)]
enum Untried<'a> {
    #[say(
        en = "{cause:text} of {arm} was not tried: the advice changes the load, the machine or the application, not a setting of the \
              server ({advice})",
        zh = "{arm} 的 {cause:text} 未做尝试：所建议的改动针对负载、机器或应用，而非服务器的设置（{advice}）"
    )]
    NoTrial { arm: &'a str, cause: Cause, advice: String },
    #[say(
        en = "{cause:text} of {arm} was not tried, because prony does not know how to set what is too small ({advice}); with `[tune]` \
              in the file, as \"pool.size\" = {{ env = \"POOL\", values = [8, 16, 32] }}, `--prove` tries these values",
        zh = "{arm} 的 {cause:text} 未做尝试：prony 不知道如何设置过小的那一项（{advice}）；在文件中写 `[tune]`，如 `\"pool.size\" = {{ env = \
              \"POOL\", values = [8, 16, 32] }}`，`--prove` 便会尝试这些值"
    )]
    NothingToTune { arm: &'a str, cause: Cause, advice: String },
}

/// The note as a sentence.
pub(super) fn untried(note: &note::Untried, lang: Lang) -> String {
    let words = match note {
        note::Untried::NoTrial { arm, cause, remedy } => {
            Untried::NoTrial { arm, cause: *cause, advice: remedy::remedy(remedy, lang) }
        }
        note::Untried::NothingToTune { arm, cause, remedy } => {
            Untried::NothingToTune { arm, cause: *cause, advice: remedy::remedy(remedy, lang) }
        }
    };
    text(&words, lang)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::finding::Remedy;

    #[test]
    fn what_was_not_tried_is_told_with_the_advice() {
        let (arm, cause, remedy) = ("ten".to_owned(), Cause::ThreadPoolLimit, Remedy::RaiseTasks);
        let notes = [
            note::Untried::NoTrial { arm: arm.clone(), cause, remedy: remedy.clone() },
            note::Untried::NothingToTune { arm, cause, remedy },
        ];
        let said = notes.each_ref().map(|note| [Lang::En, Lang::Zh].map(|lang| untried(note, lang)));
        insta::assert_snapshot!(said.concat().join("\n"));
    }
}
