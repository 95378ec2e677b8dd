//! [`Addresses`]: the addresses of a name that is looked up again and again.

use crate::resolve::all_addresses;
use std::net::SocketAddr;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use traffic::plan::Lookup;

/// What the name of a [`Lookup`] stands for now. While it is there, a thread of its own keeps it up to date.
#[derive(Debug)]
pub(crate) struct Addresses {
    found: Arc<Mutex<Vec<SocketAddr>>>,
    /// The thread ends when this is gone.
    _keeper: Sender<()>,
}

impl Addresses {
    /// Looks a name up, and then again and again. As long as that fails, the addresses stay as they are; the first one is `known`.
    pub(crate) fn keep(lookup: &Lookup, known: SocketAddr) -> Self {
        let look = {
            let Lookup { host, port, .. } = lookup.clone();
            move || all_addresses(&host, port).ok()
        };
        let found = Arc::new(Mutex::new(look().unwrap_or_else(|| vec![known])));
        let (keeper, ended) = mpsc::channel();
        let (kept, every) = (Arc::clone(&found), Duration::from(lookup.every));
        std::thread::spawn(move || {
            while ended.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                if let Some(now) = look() {
                    *kept.lock().expect("nothing panics with the lock held") = now;
                }
            }
        });
        Self { found, _keeper: keeper }
    }

    /// The address of a connection, by its number.
    pub(crate) fn of_turn(&self, turn: usize) -> SocketAddr {
        let found = self.found.lock().expect("nothing panics with the lock held");
        found[turn % found.len()]
    }
}
