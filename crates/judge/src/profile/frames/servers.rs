//! What methods of servers tell: which threads wait for work or for events, which read from clients or write to them, and which
//! answer a request.

use super::{Kind, Rule, matches};
use ask::catalog;
use ask::catalog::row::Frames;
use std::sync::LazyLock;

/// The rules, in files of the catalog.
pub(super) static RULES: LazyLock<Vec<Rule>> =
    LazyLock::new(|| catalog::servers().iter().flat_map(|file| rules(&file.frames)).collect());

fn rules(frames: &'static Frames) -> Vec<Rule> {
    let plain = [
        (Kind::Idle, &frames.idle),
        (Kind::Events, &frames.events),
        (Kind::Reserved, &frames.reserved),
        (Kind::Client, &frames.client),
    ];
    let plain = plain
        .into_iter()
        .flat_map(|(kind, patterns)| patterns.iter().map(move |pattern| Rule::plain(kind, pattern)));
    let logs = frames.logs.iter();
    let logs =
        logs.flat_map(|(log, patterns)| patterns.iter().map(move |at| Rule::named(Kind::Log, log, at)));
    plain.chain(logs).collect()
}

/// Methods that a thread has on its stack while it answers a request: methods of servlets, and of servers that are in
/// no file of the catalog.
const REQUESTS: &[&str] = &[
    "javax.servlet.http.HttpServlet.*",
    "jakarta.servlet.http.HttpServlet.*",
    "javax.servlet.GenericServlet.*",
    "jakarta.servlet.GenericServlet.*",
    "*FilterChain.doFilter",
    "sun.net.httpserver.ServerImpl$Exchange*",
    "sun.net.httpserver.AuthFilter.*",
    "com.sun.net.httpserver.Filter$Chain.*",
    "io.ktor.server.*",
    "io.grpc.internal.ServerImpl*",
    "io.grpc.internal.ServerCallImpl*",
    "io.jooby.*",
    "org.glassfish.grizzly.http.server.*",
    "fi.iki.elonen.NanoHTTPD$*",
    "ratpack.*",
    "akka.http.*",
    "org.http4k.*",
    "play.core.server.*",
    "com.linecorp.armeria.server.*",
];

/// Whether a thread with this method on its stack answers a request.
pub(crate) fn serves_request(method: &str) -> bool {
    let listed = catalog::servers().iter().flat_map(|file| &file.frames.requests);
    let mut patterns = REQUESTS.iter().copied().chain(listed.map(String::as_str));
    patterns.any(|pattern| matches(pattern, method))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_answers_a_request_is_known_by_its_stack() {
        assert!(serves_request("javax.servlet.http.HttpServlet.service"));
        assert!(serves_request("org.apache.catalina.core.ApplicationFilterChain.doFilter"));
        assert!(serves_request("org.eclipse.jetty.server.internal.HttpChannelState$HandlerInvoker.run"));
        assert!(!serves_request("java.util.concurrent.ThreadPoolExecutor.runWorker"));
    }
}
