//! The page of a run while it lasts. The run leaves [`News`] in a queue and goes on at once; once a second a thread of the
//! lowest priority reads them into a [`Page`] and sends every viewer what is new to it. So a page that is opened late, or
//! again, shows the whole run, and no viewer costs the run anything but that second's few milliseconds.

mod news;
mod notice;
mod page;
mod routes;

use super::server::{Address, Server};
use crate::failure::Failure;
use lab::event::Event;
use model::experiment::Experiment;
use model::outcome::Report;
use model::record::RoundRecord;
use news::News;
use notice::Notice;
use page::Page;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

pub(crate) use news::Question;
pub(crate) use notice::{UnderWay, under_way};

/// How often viewers are told what is new.
const EVERY: Duration = Duration::from_secs(1);

/// The page of a run; it ends when this is dropped.
pub(crate) struct Live {
    news: Sender<News>,
    server: Server,
    /// Where `prony serve` looks for it.
    folder: PathBuf,
}

/// What the server's thread shares with its requests, which run on it, too.
struct Shared {
    page: Mutex<Page>,
    /// Told when there is something new.
    changed: watch::Sender<()>,
    /// The same flag as that of Ctrl-C.
    stop: Arc<AtomicBool>,
}

impl Live {
    /// Opens the page. Its button raises `stop`, and `folder` is that of the stored runs.
    pub(crate) fn start(address: Address, stop: Arc<AtomicBool>, folder: PathBuf) -> Result<Self, Failure> {
        let (news, unread) = channel();
        let shared = Arc::new(Shared {
            page: Mutex::new(Page::new(now())),
            changed: watch::Sender::new(()),
            stop,
        });
        let router = routes::router(Arc::clone(&shared));
        let server = Server::start(address, router, keep_up(shared, unread))?;
        Ok(Self { news, server, folder })
    }

    /// What to type into a browser.
    pub(crate) fn url(&self) -> &str {
        self.server.url()
    }

    /// Who tells the page what happens in the run, or in a trial of what it suggests.
    pub(crate) fn teller(&self, question: Question) -> Teller {
        let notice = Notice::post(&self.folder, &question.run, self.url());
        let _ = self.news.send(News::Asked(Box::new(question)));
        Teller {
            news: self.news.clone(),
            _notice: notice,
        }
    }

    /// What the run found.
    pub(crate) fn found(&self, report: &Report) {
        let _ = self.news.send(News::found(report));
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let _ = self.news.send(News::Ended);
    }
}

/// Tells the page what happens, and never waits for it: without the page's thread there is nobody to tell, and the run
/// goes on.
pub(crate) struct Teller {
    news: Sender<News>,
    _notice: Option<Notice>,
}

impl Teller {
    /// The run goes on: these are the rounds of its earlier part.
    pub(crate) fn earlier(&self, experiment: &Experiment, rounds: &[RoundRecord]) {
        for news in News::earlier(experiment, rounds) {
            let _ = self.news.send(news);
        }
    }

    /// Something happened.
    pub(crate) fn tell(&self, event: &Event<'_>) {
        let _ = self.news.send(News::of(event));
    }
}

impl Shared {
    fn page(&self) -> MutexGuard<'_, Page> {
        self.page.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads what happened since the last time; whether anything did.
    fn read(&self, unread: &Receiver<News>) -> bool {
        let mut page = self.page();
        let mut changed = page.stopping(self.stop.load(Ordering::Relaxed));
        for news in unread.try_iter() {
            page.learn(news, now());
            changed = true;
        }
        changed
    }
}

/// Once a second: nothing wakes up when something happens, only when a second is over.
async fn keep_up(shared: Arc<Shared>, unread: Receiver<News>) {
    let mut second = interval(EVERY);
    second.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        second.tick().await;
        if shared.read(&unread) {
            shared.changed.send_replace(());
        }
    }
}

/// Seconds since the epoch.
fn now() -> f64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0.0, |since| since.as_secs_f64())
}
