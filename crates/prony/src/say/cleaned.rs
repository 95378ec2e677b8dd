//! What `prony clean` has removed.

use ::say::Say;
use model::units::Bytes;

/// What was left behind and is gone now, a line each.
#[derive(Clone, Copy, Debug, Say)]
#[say(
    en = "removed {folders} work folders, ended {servers} servers\n\
          {contained?removed {} containers\n}{cache?removed downloads and builds: {}\n}",
    zh = "已删除 {folders} 个工作目录，结束 {servers} 个服务器\n\
          {contained?已删除 {} 个容器\n}{cache?已删除下载与构建内容：{}\n}",
    contained = (*containers > 0).then_some(containers)
)]
pub(crate) struct CleanSummary {
    /// Work folders.
    pub(crate) folders: usize,
    /// Servers that were still running.
    pub(crate) servers: usize,
    /// Containers of servers.
    pub(crate) containers: usize,
    /// Downloads and builds, where they were to be removed.
    pub(crate) cache: Option<Bytes>,
}
