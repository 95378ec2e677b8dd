//! What `prony clean` has removed.

use model::units::Bytes;
use report::Lang;

/// What was left behind and is gone now.
#[derive(Clone, Copy, Debug)]
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

impl CleanSummary {
    /// In a language, a line each.
    pub(crate) fn text(&self, lang: Lang) -> String {
        let Self {
            folders,
            servers,
            containers,
            cache,
        } = self;
        let (left, contained, cached) = match lang {
            Lang::En => (
                format!("removed {folders} work folders, ended {servers} servers\n"),
                format!("removed {containers} containers\n"),
                cache.map(|size| format!("removed downloads and builds: {size}\n")),
            ),
            Lang::Zh => (
                format!("已删除 {folders} 个工作目录，结束 {servers} 个服务器\n"),
                format!("已删除 {containers} 个容器\n"),
                cache.map(|size| format!("已删除下载与构建内容：{size}\n")),
            ),
        };
        let contained = if *containers > 0 { contained } else { String::new() };
        left + &contained + &cached.unwrap_or_default()
    }
}
