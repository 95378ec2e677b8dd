//! [`Notifier`]: tells people of a change for the worse that nights have shown, by a webhook and by mail.

mod mail;
mod webhook;

use crate::failure::{Code, Failure};
use crate::say::Complaint;
use crate::say::complaint::NotifierComplaint;
use crate::say::nightly;
use mail::Mailbox;
use model::history::Gate;
use report::Lang;
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
    pub(crate) fn tell(&self, news: &News<'_>, lang: Lang) -> Result<(), Failure> {
        let by_webhook = self.webhook.iter().map(|webhook| (webhook.place(), webhook.post(news, lang)));
        let by_mail = self.mailbox.iter().map(|mailbox| (mailbox.place(), mailbox.send(news, lang)));
        let mut all_told = Ok(());
        for (place, told) in by_webhook.chain(by_mail) {
            match told {
                Ok(()) => eprintln!("{}", ::say::text(&nightly::Told(&place), lang)),
                Err(trouble) => {
                    let complaint = Complaint::from(NotifierComplaint::NotTold { place, trouble });
                    eprint!("{}", Failure::new(Code::Internal, complaint).text(lang));
                    all_told = Err(Failure::reported(Code::Internal));
                }
            }
        }
        all_told
    }
}
