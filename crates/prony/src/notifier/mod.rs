//! [`Notifier`]: tells people of a change for the worse that nights have shown, by a webhook and by mail.

mod mail;
mod webhook;

use crate::failure::{Code, Failure};
use crate::message;
use crate::outgoing::Trouble;
use mail::Mailbox;
use record::history::Gate;
use report::history::gate_text;
use say::{Language, Say, Writer};
use std::fmt;
use webhook::Webhook;

/// Who is told.
#[derive(Default)]
pub(crate) struct Notifier {
    webhook: Option<Webhook>,
    mailbox: Option<Mailbox>,
}

/// A change for the worse that is told.
pub(crate) struct News<'a> {
    pub(crate) experiment: &'a str,
    /// The run that shows it first.
    pub(crate) run: &'a str,
    /// The gate of that run, with this change only.
    pub(crate) gate: &'a Gate,
}

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

/// That somebody was told.
#[derive(Say)]
#[say(en = "told {0:text} of the change for the worse", zh = "已将变差通知 {0:text}")]
pub(crate) struct Told<'a>(pub(crate) &'a NewsPlace);

/// The subject of news.
#[derive(Say)]
#[say(en = "prony: {name} got worse", zh = "prony：{name} 变差", name = _0.experiment)]
pub(crate) struct NewsSubject<'a>(pub(crate) &'a News<'a>);

/// News as a message.
#[derive(Say)]
#[say(
    en = "{subject}\n\n{gate}\n`prony report {run}` shows the run, and `prony history {name}` the nights before it.\n",
    zh = "{subject}\n\n{gate}\n`prony report {run}` 显示该运行，`prony history {name}` 显示之前各夜。\n",
    subject = NewsSubject(_0),
    gate = Changes(_0.gate),
    run = _0.run,
    name = _0.experiment
)]
pub(crate) struct NewsText<'a>(pub(crate) &'a News<'a>);

/// What a gate has found.
struct Changes<'a>(&'a Gate);

impl Say for Changes<'_> {
    fn say(&self, out: &mut Writer) {
        out.value(gate_text(self.0, out.language()).trim_end());
    }
}

/// Where news are sent; it shows nothing that is secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NewsPlace(String);

impl NewsPlace {
    /// A place that is shown like this.
    pub(crate) const fn new(shown: String) -> Self {
        Self(shown)
    }
}

impl fmt::Display for NewsPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Notifier {
    /// Checks where news are to be sent, before there are any.
    ///
    /// # Errors
    ///
    /// When a text is no URL or no mail address, and when this system has no sendmail.
    pub(crate) fn new(webhook: Option<&str>, mail: Option<&str>) -> Result<Self, NotifierComplaint> {
        Ok(Self {
            webhook: webhook.map(Webhook::parse).transpose()?,
            mailbox: mail.map(Mailbox::parse).transpose()?,
        })
    }

    /// Tells everybody. Whoever cannot be told does not keep the others from it.
    ///
    /// # Errors
    ///
    /// One that only sets the exit code: who could not be told, and why, is printed.
    pub(crate) fn tell(&self, news: &News<'_>, lang: Language) -> Result<(), Failure> {
        let by_webhook = self.webhook.iter().map(|webhook| (webhook.place(), webhook.post(news, lang)));
        let by_mail = self.mailbox.iter().map(|mailbox| (mailbox.place(), mailbox.send(news, lang)));
        let mut all_told = Ok(());
        for (place, told) in by_webhook.chain(by_mail) {
            match told {
                Ok(()) => message::tell(&Told(&place), lang),
                Err(trouble) => {
                    let complaint = NotifierComplaint::NotTold { place, trouble };
                    eprint!("{}", Failure::new(Code::Internal, complaint).text(lang));
                    all_told = Err(Failure::reported(Code::Internal));
                }
            }
        }
        all_told
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::{assert_golden, check_words, text};

    #[test]
    fn news_say_the_same_in_both_languages() {
        check_words(&Told(&NewsPlace::new(text(1))));
        let gate = Gate {
            newest: Some(text(5)),
            anchor: Some(text(6)),
            series: 1,
            runs: 20,
            needed: 18,
            worse: Vec::new(),
        };
        check_words(&NewsText(&News { experiment: &text(7), run: &text(5), gate: &gate }));
        assert_golden("news");
    }
}
