//! [`PageServer`]: a web server on a thread with the lowest priority, so that it does not disturb what is measured.

use super::access::{self, Access};
use crate::failure::Failure;
use crate::run_id;
use axum::Router;
use futures_util::future::select;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use model::patience::Patience;
use say::{Language, Say};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::pin::pin;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::{Semaphore, oneshot};

/// The time that slow viewers get to read the rest when the server ends.
const GRACE: Duration = Duration::from_secs(2);
/// The maximum number of connections at a time, counted before anybody has shown a token: six by each browser of twenty viewers,
/// and some more. A stranger who opens thousands must not exhaust the descriptors or the memory of a run.
const CONNECTIONS: usize = 128;
/// The pause after a connection could not be accepted.
const RETRY_AFTER: Duration = Duration::from_millis(100);
/// The nice value of the lowest priority.
const LOWEST_PRIORITY: i32 = 19;

/// The address of a server and the language in which its pages open.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Address {
    /// `None` means any free port of 127.0.0.1.
    pub(crate) listen: Option<SocketAddr>,
    /// `None` means the language that the reader's browser prefers.
    pub(crate) lang: Option<Language>,
}

/// An address cannot be listened on.
#[derive(Debug, Say)]
#[say(
    error,
    en = "cannot listen on {address}: {source}",
    zh = "无法在 {address} 上监听：{source}",
    hint(
        en = "--listen 127.0.0.1:0 takes any free port of this machine",
        zh = "--listen 127.0.0.1:0 使用本机任意空闲端口"
    )
)]
pub(crate) struct CannotListen {
    pub(crate) address: SocketAddr,
    /// What the system says.
    pub(crate) source: std::io::Error,
}

/// A web server that ends when this value is dropped.
#[derive(Debug)]
pub(crate) struct PageServer {
    url: String,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl PageServer {
    /// Serves `router`, and runs `task` on the same thread.
    pub(super) fn start(
        address: Address,
        patience: Patience,
        router: Router,
        task: impl Future<Output = ()> + Send + 'static,
    ) -> Result<Self, Failure> {
        let listen = address.listen.unwrap_or_else(|| (Ipv4Addr::LOCALHOST, 0).into());
        let refused = |source| Failure::usage(CannotListen { address: listen, source });
        let listener = TcpListener::bind(listen).map_err(refused)?;
        let access = Arc::new(Access::new(listener.local_addr()?, run_id::token)?);
        let url = access.url(address.lang);
        let router = router.layer(axum::middleware::from_fn_with_state(access, access::check));
        Self::start_on(listener, patience, router, task, url)
    }

    /// Serves `router` to everybody who can connect: programs that read figures know no token.
    pub(crate) fn open_to_all(
        listener: TcpListener,
        patience: Patience,
        router: Router,
    ) -> Result<Self, Failure> {
        let url = format!("http://{}/", listener.local_addr()?);
        Self::start_on(listener, patience, router, std::future::ready(()), url)
    }

    fn start_on(
        listener: TcpListener,
        patience: Patience,
        router: Router,
        task: impl Future<Output = ()> + Send + 'static,
        url: String,
    ) -> Result<Self, Failure> {
        listener.set_nonblocking(true)?;
        let (end, ended) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let thread = std::thread::Builder::new().name("web".to_owned()).spawn(move || {
            // This sets the priority of this thread and of those that it starts. If it fails, pages only disturb the run more.
            let _ = rustix::process::setpriority_process(None, LOWEST_PRIORITY);
            runtime.spawn(task);
            runtime.block_on(serve(listener, patience, router, ended));
        })?;
        Ok(Self { url, end: Some(end), thread: Some(thread) })
    }

    /// Returns the URL to open in a browser.
    pub(super) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for PageServer {
    fn drop(&mut self) {
        // Both fail only if the server has already ended.
        let _ = self.end.take().map(|end| end.send(()));
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

async fn serve(listener: TcpListener, patience: Patience, router: Router, ended: oneshot::Receiver<()>) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else {
        return;
    };
    let graceful = GracefulShutdown::new();
    // The receiver also completes when its sender is dropped.
    select(ended, pin!(accept(listener, patience, router, &graceful))).await;
    let _ = tokio::time::timeout(GRACE, graceful.shutdown()).await;
}

/// Accepts connections up to the maximum; further ones wait in the kernel's queue.
async fn accept(
    listener: tokio::net::TcpListener,
    patience: Patience,
    router: Router,
    graceful: &GracefulShutdown,
) {
    let slots = Arc::new(Semaphore::new(CONNECTIONS));
    // This cannot fail, because the semaphore is never closed.
    while let Ok(slot) = Arc::clone(&slots).acquire_owned().await {
        let Ok((stream, _)) = listener.accept().await else {
            // This process may lack descriptors, which takes a moment to change.
            tokio::time::sleep(RETRY_AFTER).await;
            continue;
        };
        let service = TowerToHyperService::new(router.clone());
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(patience.page_idle())
            .serve_connection(TokioIo::new(stream), service);
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // However the connection ends, the browser connects again.
            let _ = connection.await;
            drop(slot);
        });
    }
}
