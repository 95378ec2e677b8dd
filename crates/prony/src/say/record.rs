//! What `prony record` says beside the scenario.

use crate::record::Recording;
use report::Lang;
use std::net::SocketAddr;
use std::path::Path;

/// A recording that begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start<'a> {
    /// Where the proxy listens.
    pub(crate) address: SocketAddr,
    /// The certificate that clients have to trust; `None` where https is passed on unread.
    pub(crate) authority: Option<&'a Path>,
    /// Whether a browser was opened.
    pub(crate) has_browser: bool,
}

/// Returns what is said when a recording begins.
pub(crate) fn begins(of: &Start<'_>, lang: Lang) -> String {
    let address = of.address;
    let mut out = match (lang, of.has_browser) {
        (Lang::En, true) => "recording; close the browser or press Ctrl-C to end\n".to_owned(),
        (Lang::Zh, true) => "正在录制；关闭浏览器或按 Ctrl-C 结束\n".to_owned(),
        (Lang::En, false) => format!(
            "recording at http://{address}; press Ctrl-C to end\n  \
             curl -x http://{address} URL\n  \
             chromium --proxy-server=http://{address} '--proxy-bypass-list=<-loopback>' URL\n"
        ),
        (Lang::Zh, false) => format!(
            "正在 http://{address} 录制；按 Ctrl-C 结束\n  \
             curl -x http://{address} URL\n  \
             chromium --proxy-server=http://{address} '--proxy-bypass-list=<-loopback>' URL\n"
        ),
    };
    let certificate = of.authority.filter(|_| !of.has_browser).map(Path::display);
    if let Some(certificate) = certificate {
        out.push_str(&match lang {
            Lang::En => {
                format!("https is read by clients that trust {certificate} (curl --cacert {certificate})\n")
            }
            Lang::Zh => format!("客户端信任 {certificate} 后即可录制 https（curl --cacert {certificate}）\n"),
        });
    }
    out
}

/// Returns what is said when a recording has ended.
pub(crate) fn ended(recording: &Recording, lang: Lang) -> String {
    let count = recording.exchanges.len();
    let mut out = match lang {
        Lang::En => format!("recorded {count} requests\n"),
        Lang::Zh => format!("已录制 {count} 个请求\n"),
    };
    if !recording.unread.is_empty() {
        let servers: Vec<&str> = recording.unread.keys().map(String::as_str).collect();
        let servers = servers.join(", ");
        out.push_str(&match lang {
            Lang::En => format!("https was passed on unread to {servers}; --ca reads it\n"),
            Lang::Zh => format!("对 {servers} 的 https 未读取，直接转发；加 --ca 可读取\n"),
        });
    }
    out
}
