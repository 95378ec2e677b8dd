//! [`Brief`]: a few words on why there is no figure, for the cell of a table.

use ask::reference::Need;
use model::reason::{AnswerFault, Reason};
use say::Say;

/// Why there is no figure, or no verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub(crate) enum Brief {
    /// This machine does not have what it takes.
    #[say(transparent)]
    Needs(Need),
    #[say(en = "server not run", zh = "未运行该服务器")]
    ServerNotRun,
    #[say(en = "level not run", zh = "未运行该档位")]
    LevelNotRun,
    #[say(en = "not counted here", zh = "此处不统计")]
    NotCounted,
    /// It has a figure, but none in others' tables.
    #[say(en = "not in the post", zh = "原文未给出")]
    NotPublished,
    #[say(en = "not measured yet", zh = "尚未测量")]
    NotYet,
    #[say(en = "one of the two is 0", zh = "其中一个为 0")]
    OneIsZero,
    #[say(en = "link was full", zh = "链路已满")]
    LinkFull,
    #[say(en = "load was the limit", zh = "压测端是瓶颈")]
    LoadWasLimit,
    #[say(en = "neighbour on the machine", zh = "机器上有邻居干扰")]
    Neighbour,
    #[say(en = "no answers", zh = "没有应答")]
    NoAnswers,
    #[say(en = "wrong answers", zh = "应答有误")]
    WrongAnswers,
    #[say(en = "answers differ", zh = "应答不一致")]
    UnlikeAnswers,
    #[say(en = "users still connecting", zh = "用户仍在建立连接")]
    Connecting,
    #[say(en = "rate too high", zh = "速率过高")]
    Overloaded,
    #[say(en = "unloaded server was busy", zh = "未加负载的服务器在忙")]
    UnloadedBusy,
    #[say(en = "starts did not count", zh = "启动未计入")]
    NotCounting,
}

impl From<&Reason> for Brief {
    fn from(reason: &Reason) -> Self {
        match reason {
            Reason::InSlices { reason, .. }
            | Reason::InStarts { reason, .. }
            | Reason::OnlyStart { reason }
            | Reason::OfArm { reason, .. } => Self::from(reason.as_ref()),
            Reason::StartsVoid { last, .. } => Self::from(last.as_ref()),
            Reason::LinkSaturated(_) => Self::LinkFull,
            Reason::GeneratorSaturated(_) => Self::LoadWasLimit,
            Reason::NoisyNeighbour { .. } => Self::Neighbour,
            Reason::NoSteadyState { .. } => Self::Connecting,
            Reason::Overloaded { .. } => Self::Overloaded,
            Reason::UnloadedArmBusy { .. } => Self::UnloadedBusy,
            Reason::NoValue => Self::NotCounted,
            Reason::Answers(AnswerFault::NoneRight { .. }) => Self::NoAnswers,
            Reason::Answers(AnswerFault::TooManyWrong { .. }) => Self::WrongAnswers,
            Reason::Answers(_) => Self::UnlikeAnswers,
            _ => Self::NotCounting,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::reason::{FullLink, LinkWay};
    use model::units::{BitRate, Share};
    use say::Language;

    #[test]
    fn a_reason_of_starts_and_arms_is_told_in_a_few_words() {
        let link = FullLink {
            way: LinkWay::Answers,
            used: BitRate(44_000_000),
            rate: BitRate(45_000_000),
            limit: Share(0.9),
        };
        let of_arm = Reason::OfArm { arm: "nio".to_owned(), reason: Box::new(Reason::LinkSaturated(link)) };
        let starts = Reason::StartsVoid { starts: 3, all: 3, last: Box::new(of_arm) };
        assert_eq!(Brief::from(&starts), Brief::LinkFull);
        let texts = [Language::En, Language::Zh].map(|language| say::text(&Brief::from(&starts), language));
        assert_eq!(texts, ["link was full", "链路已满"]);
        let neighbour = Reason::OnlyStart {
            reason: Box::new(Reason::NoisyNeighbour { share: Share(0.2), limit: Share(0.1) }),
        };
        assert_eq!(Brief::from(&neighbour), Brief::Neighbour);
        assert_eq!(say::text(&Brief::Needs(Need::Arm64), Language::Zh), "需要 arm64");
    }
}
