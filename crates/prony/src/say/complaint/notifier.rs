//! Why nobody can be told of a change, or was told.

use crate::notifier::NewsPlace;
use crate::outgoing::Trouble;
use crate::say::outgoing::why;
use crate::say::{Message, hinted};
use report::Lang;

/// Why news cannot be sent.
#[derive(Debug)]
pub(crate) enum NotifierComplaint {
    /// A webhook is no URL of http or https. It is not quoted, because it may be a secret.
    NoWebhook,
    /// What was given is no address of mail.
    NoMailbox {
        /// What was given.
        text: String,
    },
    /// There is no sendmail on this system.
    NoSendmail,
    /// Somebody could not be told.
    NotTold {
        /// Who.
        place: NewsPlace,
        /// Why.
        trouble: Trouble,
    },
}

impl NotifierComplaint {
    pub(super) fn english(&self) -> Message {
        match self {
            Self::NoWebhook => hinted(
                "the webhook is no URL, or has a user in it",
                "write for example https://chat.example/hooks/…, or set PRONY_WEBHOOK to it, which others cannot see",
            ),
            Self::NoMailbox { text } => hinted(
                format!("`{text}` is no address of mail"),
                "write one address such as nina@example.org",
            ),
            Self::NoSendmail => hinted(
                "this system has no sendmail",
                "install a mail transport agent, such as the package msmtp-mta, or use --webhook",
            ),
            Self::NotTold { place, trouble } => hinted(
                format!(
                    "{place} was not told of the change for the worse{}",
                    why(trouble, Lang::En)
                ),
                "the next nights do not tell it again; `prony history EXPERIMENT --gate` shows it",
            ),
        }
    }

    pub(super) fn chinese(&self) -> Message {
        match self {
            Self::NoWebhook => hinted(
                "webhook 不是 URL，或其中含有用户名",
                "例如写 https://chat.example/hooks/…，或将其设为 PRONY_WEBHOOK，这样他人看不到",
            ),
            Self::NoMailbox { text } => hinted(
                format!("`{text}` 不是邮件地址"),
                "请写一个地址，例如 nina@example.org",
            ),
            Self::NoSendmail => hinted(
                "本系统没有 sendmail",
                "请安装邮件传输代理，例如软件包 msmtp-mta，或使用 --webhook",
            ),
            Self::NotTold { place, trouble } => hinted(
                format!("未能将变差通知 {place}{}", why(trouble, Lang::Zh)),
                "之后的夜间运行不会再次通知；`prony history EXPERIMENT --gate` 会显示",
            ),
        }
    }
}
