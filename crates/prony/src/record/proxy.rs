//! The proxy itself: what it does with a request and with a connection that a client wants to have to itself.

use super::authority::Authority;
use super::tape::{SeenRequest, Tape};
use super::upstream::{Upstream, host_of, with_port};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use import::Address;
use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, copy_bidirectional};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// The largest body of a request that is passed on.
const LARGEST_BODY: usize = 64 << 20;

/// Headers that are for the next hop only, or that would let a server answer in a form that cannot be read here.
const DROPPED: [&str; 9] = [
    "connection",
    "keep-alive",
    "proxy-connection",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "accept-encoding",
];

/// What is shown to a browser that asks the proxy itself for a page.
const OWN_PAGE: &str =
    "This is the proxy of prony record. Set it as the HTTP proxy of your browser or client.\n";

/// A proxy.
#[derive(Clone)]
pub(crate) struct Proxy {
    pub(crate) tape: Arc<Tape>,
    pub(crate) upstream: Upstream,
    /// The certificate authority with which https is read; `None` passes it on unread.
    pub(crate) authority: Option<Arc<Authority>>,
}

type AnswerBody = BoxBody<Bytes, hyper::Error>;

/// Serves clients for ever.
pub(crate) async fn serve(listener: TcpListener, proxy: Proxy) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // This process may lack descriptors, which takes a moment to change.
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            continue;
        };
        tokio::spawn(serve_stream(stream, proxy.clone(), None));
    }
}

/// Serves a connection. `server` is the server that the client believes to speak to, as `host:port`, if any.
async fn serve_stream<S>(stream: S, proxy: Proxy, server: Option<String>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = service_fn(move |request| {
        let (proxy, server) = (proxy.clone(), server.clone());
        async move { Ok::<_, Infallible>(proxy.answer(request, server.as_deref()).await) }
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .preserve_header_case(true)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    // A client that goes away is none of our business.
    let _ = connection.await;
}

impl Proxy {
    async fn answer(&self, request: Request<Incoming>, server: Option<&str>) -> Response<AnswerBody> {
        if request.method() == Method::CONNECT {
            return self.connect(request);
        }
        let url = match server {
            Some(server) => format!("https://{server}{}", request.uri()),
            None => request.uri().to_string(),
        };
        if url.starts_with('/') {
            return text(StatusCode::OK, OWN_PAGE);
        }
        let Ok(address) = Address::parse(&url) else {
            return text(StatusCode::BAD_REQUEST, "prony record passes on http and https only\n");
        };
        if request.headers().contains_key("sec-websocket-key") {
            self.tape.web_socket();
            return text(StatusCode::NOT_IMPLEMENTED, "prony record does not pass on WebSocket\n");
        }
        match self.pass_on(address, request).await {
            Ok(response) => response,
            Err(error) => text(StatusCode::BAD_GATEWAY, &format!("prony record: {url}: {error}\n")),
        }
    }

    /// Passes a request on, and keeps it and its answer.
    async fn pass_on(
        &self,
        address: Address,
        request: Request<Incoming>,
    ) -> io::Result<Response<AnswerBody>> {
        let (head, body) = request.into_parts();
        let body = Limited::new(body, LARGEST_BODY).collect().await.map_err(io::Error::other)?.to_bytes();
        let index = self.tape.request(SeenRequest {
            method: head.method.to_string(),
            url: address.clone(),
            headers: pairs(&head.headers),
            body: body.to_vec(),
        });
        let mut sent = Request::builder().method(head.method).uri(address.path.as_str());
        for (name, value) in kept(&head.headers) {
            sent = sent.header(name, value);
        }
        if !head.headers.contains_key("host") {
            sent = sent.header("host", address.host.as_str());
        }
        let sent = sent.body(Full::new(body)).map_err(io::Error::other)?;
        let (head, body) = self.upstream.send(&address, sent).await?.into_parts();
        self.tape.answer(index, head.status.as_u16(), pairs(&head.headers));
        let mut response = Response::builder().status(head.status);
        for (name, value) in kept(&head.headers) {
            response = response.header(name, value);
        }
        let tee = Tee { inner: body, tape: Arc::clone(&self.tape), index };
        response.body(tee.boxed()).map_err(io::Error::other)
    }

    /// Gives a client the connection that it wants to have to itself: to us, if https is read, or else to the server.
    fn connect(&self, request: Request<Incoming>) -> Response<AnswerBody> {
        let Some(server) = request.uri().authority().map(|authority| with_port(authority.as_str(), 443))
        else {
            return text(StatusCode::BAD_REQUEST, "CONNECT names no server\n");
        };
        let proxy = self.clone();
        tokio::spawn(async move {
            let Ok(upgraded) = hyper::upgrade::on(request).await else {
                return;
            };
            let client = TokioIo::new(upgraded);
            // Either side may end the connection at any time.
            let _ = match proxy.authority.clone() {
                Some(authority) => proxy.read(client, &server, &authority).await,
                None => proxy.tunnel(client, &server).await,
            };
        });
        Response::new(empty())
    }

    /// Reads a connection over https.
    async fn read<S>(self, client: S, server: &str, authority: &Authority) -> io::Result<()>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let config = authority.server(host_of(server))?;
        let stream = TlsAcceptor::from(config).accept(client).await?;
        // A future that contains itself needs a box.
        let served: Pin<Box<dyn Future<Output = ()> + Send>> =
            Box::pin(serve_stream(stream, self, Some(server.to_owned())));
        served.await;
        Ok(())
    }

    /// Passes a connection on unread.
    async fn tunnel<S>(self, mut client: S, server: &str) -> io::Result<()>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        self.tape.unread(server);
        let mut upstream = self.upstream.connect(server).await?;
        copy_bidirectional(&mut client, &mut upstream).await?;
        Ok(())
    }
}

/// The headers that are passed on.
fn kept(headers: &HeaderMap) -> impl Iterator<Item = (&HeaderName, &HeaderValue)> {
    headers.iter().filter(|(name, _)| !DROPPED.contains(&name.as_str()))
}

fn pairs(headers: &HeaderMap) -> Vec<(String, String)> {
    let pair = |(name, value): (&HeaderName, &HeaderValue)| {
        (title_case(name.as_str()), String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    headers.iter().map(pair).collect()
}

/// Writes the name of a header as people do: `Content-Type`.
fn title_case(name: &str) -> String {
    let word = |word: &str| match word.split_at_checked(1) {
        Some((first, rest)) => first.to_ascii_uppercase() + rest,
        None => String::new(),
    };
    name.split('-').map(word).collect::<Vec<_>>().join("-")
}

fn empty() -> AnswerBody {
    Full::new(Bytes::new()).map_err(|never: Infallible| match never {}).boxed()
}

fn text(status: StatusCode, text: &str) -> Response<AnswerBody> {
    let body = Full::new(Bytes::from(text.to_owned()));
    let mut response = Response::new(body.map_err(|never: Infallible| match never {}).boxed());
    *response.status_mut() = status;
    response
}

/// The body of an answer on its way to the client; the tape gets a copy.
struct Tee {
    inner: Incoming,
    tape: Arc<Tape>,
    index: usize,
}

impl Body for Tee {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = Pin::new(&mut self.inner).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &frame
            && let Some(bytes) = frame.data_ref()
        {
            self.tape.append(self.index, bytes);
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl Drop for Tee {
    fn drop(&mut self) {
        self.tape.end(self.index);
    }
}
