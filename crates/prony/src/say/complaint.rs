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

use super::Mistakes;
use ::say::Say;
use model::patience::BadScale;
use model::slip::DesignSlip;
use std::net::SocketAddr;

/// What the program refuses or fails at.
#[derive(Debug, Say)]
#[say(error)]
pub(crate) enum Complaint {
    /// What is wrong with an experiment file or an argument; it is drawn with its line and carets.
    #[say(transparent)]
    Mistakes(#[say(from)] Mistakes),
    /// A stored run that cannot be used for what was asked.
    #[say(transparent)]
    Stored(#[say(from)] StoredComplaint),
    /// Arms that cannot be compared as asked.
    #[say(transparent)]
    Arms(#[say(from)] ArmsComplaint),
    /// A file that cannot be read or written.
    #[say(transparent)]
    File(#[say(from)] FileComplaint),
    /// A load that cannot be made, or that nobody answered.
    #[say(transparent)]
    Load(#[say(from)] LoadComplaint),
    /// What `prony wrk` and `prony ab` refuse.
    #[say(transparent)]
    Foreign(#[say(from)] ForeignComplaint),
    /// A calibration that cannot be done.
    #[say(transparent)]
    Calibration(#[say(from)] CalibrationComplaint),
    /// A file that cannot be written as asked.
    #[say(transparent)]
    Written(#[say(from)] WrittenComplaint),
    /// A configuration of this user that cannot be used.
    #[say(transparent)]
    Config(#[say(from)] ConfigComplaint),
    /// A decision about a history that cannot be made.
    #[say(transparent)]
    Decision(#[say(from)] DecisionComplaint),
    /// A file without figures of another tool.
    #[say(transparent)]
    Figures(#[say(from)] FiguresComplaint),
    /// News that cannot be sent.
    #[say(transparent)]
    Notifier(#[say(from)] NotifierComplaint),
    /// Both a gate and a margin of the headline are given.
    #[say(
        en = "{slip}",
        zh = "{slip}",
        hint(
            en = "give either a gate or a margin of the headline",
            zh = "请只给出门限（gate）或主指标的等效界限（margin）之一"
        ),
        slip = DesignSlip::TwoMargins
    )]
    TwoMargins,
    /// No folder for what prony keeps.
    #[say(
        en = "neither PRONY_HOME nor HOME is set",
        zh = "PRONY_HOME 和 HOME 都未设置",
        hint(
            en = "set PRONY_HOME to a folder for downloads and stored runs",
            zh = "请将 PRONY_HOME 设为用于存放下载内容和运行记录的目录"
        )
    )]
    NoHome,
    /// The environment does not say how patient the program is to be.
    #[say(
        en = "{variable} is `{text}`, and {wrong}",
        zh = "{variable} 为 `{text}`，而{wrong}",
        hint(
            en = "unset {variable}: it is there for tests of prony",
            zh = "请取消设置 {variable}：它只用于 prony 自身的测试"
        )
    )]
    NoPatience {
        variable: &'static str,
        /// Its value.
        text: String,
        /// Why that is no scale.
        wrong: BadScale,
    },
    /// The address of the pages cannot be listened on.
    #[say(
        en = "cannot listen on {address}: {source}",
        zh = "无法在 {address} 上监听：{source}",
        hint(
            en = "--listen 127.0.0.1:0 takes any free port of this machine",
            zh = "--listen 127.0.0.1:0 使用本机任意空闲端口"
        )
    )]
    CannotListen {
        address: SocketAddr,
        /// What the system says.
        source: std::io::Error,
    },
}
