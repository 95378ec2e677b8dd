//! [`Verdict`]: what was shown of an arm against the baseline in one measure.

use model::measure::{Measure, Nature};
use say::{Language, Say, Writer};
use serde::{Deserialize, Serialize};

/// The verdict on an arm against the baseline in one measure. The words for better and worse depend on the nature of the
/// measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The arm was shown to be better: more throughput, or less time.
    Faster,
    /// The arm was shown to be worse: less throughput, or more time.
    Slower,
    /// The arm was shown to need less CPU for a request.
    Cheaper,
    /// The arm was shown to need more CPU for a request. Files keep the code `dearer`, on which scripts rely.
    #[serde(rename = "dearer")]
    Costlier,
    /// The arm was shown to need less memory.
    Smaller,
    /// The arm was shown to need more memory.
    Larger,
    /// The arm was shown to differ by less than the margin.
    Same,
    /// Neither was shown in the time there was.
    Inconclusive,
    /// The server was not measured, but something around it.
    Invalid,
}

/// In which direction an arm was shown to differ from the baseline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// It is better.
    Better,
    /// It is worse.
    Worse,
}

impl Verdict {
    /// All variants.
    pub const ALL: [Self; 9] = [
        Self::Faster,
        Self::Slower,
        Self::Cheaper,
        Self::Costlier,
        Self::Smaller,
        Self::Larger,
        Self::Same,
        Self::Inconclusive,
        Self::Invalid,
    ];

    /// The verdict that an arm was shown to be better or worse in this measure.
    pub const fn shown(measure: Measure, direction: Direction) -> Self {
        match (measure.nature(), direction) {
            (Nature::Speed, Direction::Better) => Self::Faster,
            (Nature::Speed, Direction::Worse) => Self::Slower,
            (Nature::Cost, Direction::Better) => Self::Cheaper,
            (Nature::Cost, Direction::Worse) => Self::Costlier,
            (Nature::Size, Direction::Better) => Self::Smaller,
            (Nature::Size, Direction::Worse) => Self::Larger,
        }
    }

    /// In which direction the arm was shown to differ; `None` where that was not shown.
    pub const fn direction(self) -> Option<Direction> {
        match self {
            Self::Faster | Self::Cheaper | Self::Smaller => Some(Direction::Better),
            Self::Slower | Self::Costlier | Self::Larger => Some(Direction::Worse),
            Self::Same | Self::Inconclusive | Self::Invalid => None,
        }
    }

    /// What readers of this language see.
    pub const fn word(self, language: Language) -> &'static str {
        let (en, zh) = match self {
            Self::Faster => ("faster", "更快"),
            Self::Slower => ("slower", "更慢"),
            Self::Cheaper => ("cheaper", "更省 CPU"),
            Self::Costlier => ("costlier", "更耗 CPU"),
            Self::Smaller => ("smaller", "更小"),
            Self::Larger => ("larger", "更大"),
            Self::Same => ("same", "相同"),
            Self::Inconclusive => ("inconclusive", "无法判定"),
            Self::Invalid => ("invalid", "无效"),
        };
        language.choose(en, zh)
    }

    /// The code in files.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Cheaper => "cheaper",
            Self::Costlier => "dearer",
            Self::Smaller => "smaller",
            Self::Larger => "larger",
            Self::Same => "same",
            Self::Inconclusive => "inconclusive",
            Self::Invalid => "invalid",
        }
    }
}

impl Say for Verdict {
    fn say(&self, out: &mut Writer) {
        out.words(self.word(out.language()));
    }
}
