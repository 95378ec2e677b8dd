//! The live page, which shows a run while it lasts. The run puts [`News`] into a queue and goes on at once. Once a second, a thread of
//! the lowest priority reads the queue into a [`Page`] and sends every viewer what is new to it. So a page that is opened late, or
//! reloaded, shows the whole run, and viewers cost the run only a few milliseconds per second.

mod fault_rows;
mod fleet_rows;
mod news;
mod notice;
mod page;
mod routes;
mod step_rows;

use super::server::{Address, PageServer};
use crate::failure::Failure;
use ask::experiment::Experiment;
use lab::event::Event;
use model::patience::Patience;
use news::News;
use notice::Notice;
use page::Page;
use record::outcome::Report;
use record::rounds::RoundRecord;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval};

pub(crate) use news::RunHeader;
pub(crate) use notice::{UnderWay, find_under_way};

/// How often viewers get what is new.
const UPDATE_INTERVAL: Duration = Duration::from_secs(1);

/// The live page of a run; it ends when this is dropped.
pub(crate) struct LivePage {
    news: Sender<News>,
    server: PageServer,
    /// The folder of the stored runs, in which `prony serve` looks for runs that last.
    folder: PathBuf,
}

/// What the requests and the task that reads the news share.
struct LiveState {
    page: Mutex<Page>,
    /// Wakes the viewers when there is something new.
    changed: watch::Sender<()>,
    /// Stops the run; it is the flag of Ctrl-C, too.
    stop: Arc<AtomicBool>,
}

impl LivePage {
    /// Starts to serve the page. Its button raises `stop`; `folder` is the folder of the stored runs.
    pub(crate) fn start(
        address: Address,
        patience: Patience,
        stop: Arc<AtomicBool>,
        folder: PathBuf,
    ) -> Result<Self, Failure> {
        let (news, unread) = channel();
        let shared =
            Arc::new(LiveState { page: Mutex::new(Page::new(now())), changed: watch::Sender::new(()), stop });
        let router = routes::router(Arc::clone(&shared));
        let server = PageServer::start(address, patience, router, read_every_second(shared, unread))?;
        Ok(Self { news, server, folder })
    }

    /// Returns the URL to open in a browser.
    pub(crate) fn url(&self) -> &str {
        self.server.url()
    }

    /// Announces a run, or a trial of what the run suggests, and returns the sender of its events.
    pub(crate) fn sender(&self, header: RunHeader) -> PageSender {
        let notice = Notice::post(&self.folder, &header.run, self.url());
        let _ = self.news.send(News::Begin(Box::new(header)));
        PageSender { news: self.news.clone(), _notice: notice }
    }

    /// Shows the results of the run.
    pub(crate) fn show_results(&self, report: &Report) {
        let _ = self.news.send(News::results(report));
    }
}

impl Drop for LivePage {
    fn drop(&mut self) {
        let _ = self.news.send(News::Ended);
    }
}

/// Sends events to the live page. It never waits, and if the thread of the page has ended, events are dropped and the run goes on.
pub(crate) struct PageSender {
    news: Sender<News>,
    _notice: Option<Notice>,
}

impl PageSender {
    /// Sends the rounds of the earlier part of a run that is continued.
    pub(crate) fn send_earlier(&self, experiment: &Experiment, rounds: &[RoundRecord]) {
        for news in News::earlier_rounds(experiment, rounds) {
            let _ = self.news.send(news);
        }
    }

    /// Sends an event.
    pub(crate) fn send(&self, event: &Event<'_>) {
        if let Some(news) = News::from_event(event) {
            let _ = self.news.send(news);
        }
    }
}

impl LiveState {
    fn page(&self) -> MutexGuard<'_, Page> {
        self.page.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads what happened since the last time; returns whether anything has changed.
    fn read(&self, unread: &Receiver<News>) -> bool {
        let mut page = self.page();
        let mut changed = page.set_stopping(self.stop.load(Ordering::Relaxed));
        for news in unread.try_iter() {
            page.add(news, now());
            changed = true;
        }
        changed
    }
}

/// Reads the news once a second. Events do not wake it, so that it costs the run little.
async fn read_every_second(shared: Arc<LiveState>, unread: Receiver<News>) {
    let mut second = interval(UPDATE_INTERVAL);
    second.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        second.tick().await;
        if shared.read(&unread) {
            shared.changed.send_replace(());
        }
    }
}

/// Returns the time in seconds since the epoch.
fn now() -> f64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0.0, |since| since.as_secs_f64())
}
