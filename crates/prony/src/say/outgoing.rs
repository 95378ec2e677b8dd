//! Why something could not be sent.

use crate::outgoing::Trouble;
use report::Lang;

/// The reason as the end of a sentence, with the comma before it.
pub(super) fn why(trouble: &Trouble, lang: Lang) -> String {
    match (trouble, lang) {
        (Trouble::Unreachable(why), Lang::En) => format!(", it cannot be reached: {why}"),
        (Trouble::Unreachable(why), Lang::Zh) => format!("，无法连接：{why}"),
        (Trouble::Slow, Lang::En) => ", it does not answer in time".to_owned(),
        (Trouble::Slow, Lang::Zh) => "，未及时应答".to_owned(),
        (Trouble::Refused { status, words }, Lang::En) => format!(", it answers {status}: {words}"),
        (Trouble::Refused { status, words }, Lang::Zh) => format!("，应答 {status}：{words}"),
    }
}
