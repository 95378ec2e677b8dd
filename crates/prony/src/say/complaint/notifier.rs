//! Why nobody can be told of a change, or was told.

use crate::notifier::NewsPlace;
use crate::outgoing::Trouble;
use ::say::Say;

/// Why news cannot be sent.
#[derive(Debug, Say)]
#[say(error)]
pub(crate) enum NotifierComplaint {
    /// A webhook is no URL of http or https. It is not quoted, because it may be a secret.
    #[say(
        en = "the webhook is no URL, or has a user in it",
        zh = "webhook 不是 URL，或其中含有用户名",
        hint(
            en = "write for example https://chat.example/hooks/…, or set PRONY_WEBHOOK to it, which others \
                  cannot see",
            zh = "例如写 https://chat.example/hooks/…，或将其设为 PRONY_WEBHOOK，这样他人看不到"
        )
    )]
    NoWebhook,
    /// What was given is no address of mail.
    #[say(
        en = "`{text}` is no address of mail",
        zh = "`{text}` 不是邮件地址",
        hint(en = "write one address such as nina@example.org", zh = "请写一个地址，例如 nina@example.org")
    )]
    NoMailbox {
        /// What was given.
        text: String,
    },
    /// There is no sendmail on this system.
    #[say(
        en = "this system has no sendmail",
        zh = "本系统没有 sendmail",
        hint(
            en = "install a mail transport agent, such as the package msmtp-mta, or use --webhook",
            zh = "请安装邮件传输代理，例如软件包 msmtp-mta，或使用 --webhook"
        )
    )]
    NoSendmail,
    /// Somebody could not be told.
    #[say(
        en = "{place:text} was not told of the change for the worse{trouble}",
        zh = "未能将变差通知 {place:text}{trouble}",
        hint(
            en = "the next nights do not tell it again; `prony history EXPERIMENT --gate` shows it",
            zh = "之后的夜间运行不会再次通知；`prony history EXPERIMENT --gate` 会显示"
        )
    )]
    NotTold {
        /// Who.
        place: NewsPlace,
        /// Why.
        trouble: Trouble,
    },
}
