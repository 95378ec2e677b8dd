//! [`Complaint`]: what the program itself refuses, or fails at, as values with their data.

mod arms;
mod calibration;
mod config;
mod decision;
mod figures;
mod file;
mod foreign;
mod load;
mod notifier;
mod stored;
mod written;

pub(crate) use arms::ArmsComplaint;
pub(crate) use calibration::CalibrationComplaint;
pub(crate) use config::ConfigComplaint;
pub(crate) use decision::DecisionComplaint;
pub(crate) use figures::FiguresComplaint;
pub(crate) use file::{FileComplaint, Given, LockAct, OutAct};
pub(crate) use foreign::{ForeignComplaint, Instead};
pub(crate) use load::LoadComplaint;
pub(crate) use notifier::NotifierComplaint;
pub(crate) use stored::{Difference, Gone, StoredComplaint};
pub(crate) use written::WrittenComplaint;

use super::{Message, Mistakes, hinted, plain};
use model::patience::BadScale;
use model::slip::DesignSlip;
use report::Lang;
use std::error::Error;
use std::fmt;
use std::net::SocketAddr;

/// What the program refuses or fails at.
#[derive(Debug)]
pub(crate) enum Complaint {
    /// What is wrong with an experiment file or an argument; it is drawn with its line and carets.
    Mistakes(Mistakes),
    /// A stored run that cannot be used for what was asked.
    Stored(StoredComplaint),
    /// Arms that cannot be compared as asked.
    Arms(ArmsComplaint),
    /// A file that cannot be read or written.
    File(FileComplaint),
    /// A load that cannot be made, or that nobody answered.
    Load(LoadComplaint),
    /// What `prony wrk` and `prony ab` refuse.
    Foreign(ForeignComplaint),
    /// A calibration that cannot be done.
    Calibration(CalibrationComplaint),
    /// A file that cannot be written as asked.
    Written(WrittenComplaint),
    /// A configuration of this user that cannot be used.
    Config(ConfigComplaint),
    /// A decision about a history that cannot be made.
    Decision(DecisionComplaint),
    /// A file without figures of another tool.
    Figures(FiguresComplaint),
    /// News that cannot be sent.
    Notifier(NotifierComplaint),
    /// Both a gate and a margin of the headline are given.
    TwoMargins,
    /// No folder for what prony keeps.
    NoHome,
    /// The environment does not say how patient the program is to be.
    NoPatience {
        /// The variable.
        variable: &'static str,
        /// Its value.
        text: String,
        /// Why that is no scale.
        wrong: BadScale,
    },
    /// The address of the pages cannot be listened on.
    CannotListen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: std::io::Error,
    },
}

impl Complaint {
    /// In a language, with what to do about it.
    pub(crate) fn say(&self, lang: Lang) -> Message {
        match lang {
            Lang::En => self.english(),
            Lang::Zh => self.chinese(),
        }
    }

    fn english(&self) -> Message {
        match self {
            Self::Mistakes(mistakes) => plain(mistakes.drawn(Lang::En)),
            Self::Stored(complaint) => complaint.english(),
            Self::Arms(complaint) => complaint.english(),
            Self::File(complaint) => complaint.english(),
            Self::Load(complaint) => complaint.english(),
            Self::Foreign(complaint) => complaint.english(),
            Self::Calibration(complaint) => complaint.english(),
            Self::Written(complaint) => complaint.english(),
            Self::Config(complaint) => complaint.english(),
            Self::Decision(complaint) => complaint.english(),
            Self::Figures(complaint) => complaint.english(),
            Self::Notifier(complaint) => complaint.english(),
            Self::TwoMargins => hinted(
                DesignSlip::TwoMargins.to_string(),
                "give either a gate or a margin of the headline",
            ),
            Self::NoHome => hinted(
                "neither PRONY_HOME nor HOME is set",
                "set PRONY_HOME to a folder for downloads and stored runs",
            ),
            Self::NoPatience {
                variable,
                text,
                wrong,
            } => hinted(
                format!("{variable} is `{text}`, and {wrong}"),
                format!("unset {variable}: it is there for tests of prony"),
            ),
            Self::CannotListen { address, source } => hinted(
                format!("cannot listen on {address}: {source}"),
                "--listen 127.0.0.1:0 takes any free port of this machine",
            ),
        }
    }

    fn chinese(&self) -> Message {
        match self {
            Self::Mistakes(mistakes) => plain(mistakes.drawn(Lang::Zh)),
            Self::Stored(complaint) => complaint.chinese(),
            Self::Arms(complaint) => complaint.chinese(),
            Self::File(complaint) => complaint.chinese(),
            Self::Load(complaint) => complaint.chinese(),
            Self::Foreign(complaint) => complaint.chinese(),
            Self::Calibration(complaint) => complaint.chinese(),
            Self::Written(complaint) => complaint.chinese(),
            Self::Config(complaint) => complaint.chinese(),
            Self::Decision(complaint) => complaint.chinese(),
            Self::Figures(complaint) => complaint.chinese(),
            Self::Notifier(complaint) => complaint.chinese(),
            Self::TwoMargins => hinted(
                super::slip::slip(&DesignSlip::TwoMargins.into()),
                "请只给出门限（gate）或主指标的等效界限（margin）之一",
            ),
            Self::NoHome => hinted(
                "PRONY_HOME 和 HOME 都未设置",
                "请将 PRONY_HOME 设为用于存放下载内容和运行记录的目录",
            ),
            Self::NoPatience {
                variable,
                text,
                wrong: BadScale { least, most },
            } => hinted(
                format!("{variable} 为 `{text}`，而耐心的比例应为 {least} 到 {most} 的数"),
                format!("请取消设置 {variable}：它只用于 prony 自身的测试"),
            ),
            Self::CannotListen { address, source } => hinted(
                format!("无法在 {address} 上监听：{source}"),
                "--listen 127.0.0.1:0 使用本机任意空闲端口",
            ),
        }
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.english().message)
    }
}

impl Error for Complaint {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::File(complaint) => complaint.source(),
            _ => None,
        }
    }
}

macro_rules! part_of_complaint {
    ($($part:ident in $variant:ident,)*) => {
        $(impl From<$part> for Complaint {
            fn from(part: $part) -> Self {
                Self::$variant(part)
            }
        })*
    };
}

part_of_complaint! {
    StoredComplaint in Stored,
    ArmsComplaint in Arms,
    FileComplaint in File,
    LoadComplaint in Load,
    ForeignComplaint in Foreign,
    CalibrationComplaint in Calibration,
    WrittenComplaint in Written,
    ConfigComplaint in Config,
    DecisionComplaint in Decision,
    FiguresComplaint in Figures,
    NotifierComplaint in Notifier,
    Mistakes in Mistakes,
}
