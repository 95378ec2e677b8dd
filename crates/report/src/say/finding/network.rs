//! Findings on the network: TLS handshakes, and the remedies for them and for a full link.

use crate::say::text::BilingualText;
use crate::words::Lang;
use ::say::numbers::{percent, three};
use model::finding::{ClosedBy, Handshakes};

/// Every request, or every other one, pays for a TLS handshake.
pub(super) fn handshakes(handshakes: Handshakes, lang: Lang) -> String {
    let (each, resumed) = (three(handshakes.per_request), percent(handshakes.resumed));
    match lang {
        Lang::En => format!(
            "{each} TLS handshakes per request ({resumed} of them resumed): handshakes were measured, not requests"
        ),
        Lang::Zh => {
            format!("每个请求 {each} 次 TLS 握手（其中 {resumed} 为会话恢复）：测到的是握手，不是请求")
        }
    }
}

pub(in crate::say) const WIDEN_LINK: BilingualText = BilingualText {
    en: "use a wider link or smaller answers (compression); servers can only be compared where the link is not full",
    zh: "使用带宽更大的链路，或减小应答（压缩）；只有在链路未满时才能比较服务器",
};

/// The advice to keep connections, so that fewer handshakes are needed.
pub(in crate::say) const fn spare_handshakes(closed_by: ClosedBy) -> BilingualText {
    match closed_by {
        ClosedBy::Server => BilingualText {
            en: "keep connections open: the server closes them, see keepalive-not-effective",
            zh: "保持连接：连接由服务器关闭，见 keepalive-not-effective",
        },
        ClosedBy::Load => BilingualText {
            en: "keep connections open (`keepalive = true`), as browsers and proxies do",
            zh: "保持连接（`keepalive = true`），浏览器与代理都是如此",
        },
    }
}
