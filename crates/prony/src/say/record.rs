//! What `prony record` says beside the scenario.

use crate::record::Recording;
use ::say::Say;
use std::net::SocketAddr;
use std::path::Path;

/// A recording that begins.
#[derive(Clone, Copy, Debug, Say)]
#[say(
    en = "{has_browser?recording; close the browser or press Ctrl-C to end|recording at http://{address}; press Ctrl-C to end\n  \
          curl -x http://{address} URL\n  \
          chromium --proxy-server=http://{address} '--proxy-bypass-list=<-loopback>' URL}\n\
          {certificate?https is read by clients that trust {} (curl --cacert {})\n}",
    zh = "{has_browser?正在录制；关闭浏览器或按 Ctrl-C 结束|正在 http://{address} 录制；按 Ctrl-C 结束\n  \
          curl -x http://{address} URL\n  \
          chromium --proxy-server=http://{address} '--proxy-bypass-list=<-loopback>' URL}\n\
          {certificate?客户端信任 {} 后即可录制 https（curl --cacert {}）\n}",
    certificate = authority.filter(|_| !has_browser)
)]
pub(crate) struct Start<'a> {
    /// Where the proxy listens.
    pub(crate) address: SocketAddr,
    /// The certificate that clients have to trust; `None` where https is passed on unread.
    pub(crate) authority: Option<&'a Path>,
    /// Whether a browser was opened.
    pub(crate) has_browser: bool,
}

/// A recording that has ended.
#[derive(Clone, Copy, Debug, Say)]
#[say(
    en = "recorded {count} requests\n{unread?https was passed on unread to {}; --ca reads it\n}",
    zh = "已录制 {count} 个请求\n{unread?对 {} 的 https 未读取，直接转发；加 --ca 可读取\n}",
    count = _0.exchanges.len(),
    unread = unread(_0)
)]
pub(crate) struct Ended<'a>(pub(crate) &'a Recording);

/// The servers whose https was passed on, if there are any.
fn unread(recording: &Recording) -> Option<String> {
    let servers: Vec<&str> = recording.unread.keys().map(String::as_str).collect();
    (!servers.is_empty()).then(|| servers.join(", "))
}
