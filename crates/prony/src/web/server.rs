//! A web server on a thread of its own, at the lowest priority: whatever is measured goes first.

use super::access::{self, Access};
use crate::failure::Failure;
use crate::run_id;
use crate::say::Complaint;
use axum::Router;
use futures_util::future::select;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use report::Lang;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::pin::pin;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::{Semaphore, oneshot};

/// How long a viewer that is slow to read may hold up the end.
const GRACE: Duration = Duration::from_secs(2);
/// Connections at once, before anybody has said who it is: six of a browser for each of twenty viewers, and some more. A
/// stranger who opens thousands must not cost a run its files or memory.
const CONNECTIONS: usize = 128;
/// How long a connection may be open without a request on it: whoever says nothing gives its place to the next.
const SILENCE: Duration = Duration::from_secs(10);
/// After a connection could not be accepted.
const RETRY: Duration = Duration::from_millis(100);
/// The least that a thread can claim of a CPU that others want.
const LOWEST: i32 = 19;

/// Where a server is, and in which language its pages open.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Address {
    /// By default any free port of this machine.
    pub(crate) listen: Option<SocketAddr>,
    /// By default the one that the reader's browser prefers.
    pub(crate) lang: Option<Lang>,
}

/// A server that runs until it is ended.
#[derive(Debug)]
pub(super) struct Server {
    url: String,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Serves `router`; `beside` runs on the same thread.
    pub(super) fn start(
        address: Address,
        router: Router,
        beside: impl Future<Output = ()> + Send + 'static,
    ) -> Result<Self, Failure> {
        let listen = address.listen.unwrap_or_else(|| (Ipv4Addr::LOCALHOST, 0).into());
        let refused = |source| {
            Failure::usage(Complaint::CannotListen {
                address: listen,
                source,
            })
        };
        let listener = TcpListener::bind(listen).map_err(refused)?;
        listener.set_nonblocking(true)?;
        let access = Arc::new(Access::new(listener.local_addr()?, run_id::token)?);
        let url = access.url(address.lang);
        let router = router.layer(axum::middleware::from_fn_with_state(access, access::check));
        let (end, ended) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let thread = std::thread::Builder::new()
            .name("web".to_owned())
            .spawn(move || {
                // Of this thread alone, and of those that it starts; where it may not be, it is only less polite.
                let _ = rustix::process::setpriority_process(None, LOWEST);
                runtime.spawn(beside);
                runtime.block_on(serve(listener, router, ended));
            })?;
        Ok(Self {
            url,
            end: Some(end),
            thread: Some(thread),
        })
    }

    /// What to type into a browser.
    pub(super) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Both fail only where the server has ended by itself.
        let _ = self.end.take().map(|end| end.send(()));
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

async fn serve(listener: TcpListener, router: Router, ended: oneshot::Receiver<()>) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else {
        return;
    };
    let graceful = GracefulShutdown::new();
    // Told to end, or nobody is left to tell us: then it is over, too.
    select(ended, pin!(accept(listener, router, &graceful))).await;
    let _ = tokio::time::timeout(GRACE, graceful.shutdown()).await;
}

/// Serves whoever connects, so many at once; the others wait in the kernel's queue.
async fn accept(listener: tokio::net::TcpListener, router: Router, graceful: &GracefulShutdown) {
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    // An error would mean that the places are gone, and they never are.
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        let Ok((stream, _)) = listener.accept().await else {
            // Whatever this process lacks, files for one, is not there at once.
            tokio::time::sleep(RETRY).await;
            continue;
        };
        let service = TowerToHyperService::new(router.clone());
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(SILENCE)
            .serve_connection(TokioIo::new(stream), service);
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // Whatever ends it, the viewer comes again.
            let _ = connection.await;
            drop(place);
        });
    }
}
