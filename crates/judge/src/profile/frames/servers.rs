//! What methods of servers tell: which threads wait for work or for events, which read from clients or write to them, and which
//! answer a request.

use super::{Kind, Rule, matches};

const ACCESS_LOG: &str = "the access log";

/// The rules.
pub(super) const RULES: &[Rule] = &[
    // Tomcat.
    Rule::plain(
        Kind::Idle,
        "org.apache.tomcat.util.threads.ThreadPoolExecutor.getTask",
    ),
    Rule::plain(Kind::Idle, "org.apache.tomcat.util.threads.TaskQueue.*"),
    Rule::plain(Kind::Events, "org.apache.tomcat.util.threads.LimitLatch.*"),
    Rule::plain(Kind::Events, "org.apache.catalina.core.StandardServer.await"),
    Rule::plain(Kind::Client, "org.apache.tomcat.util.net.SocketWrapperBase.*"),
    Rule::plain(
        Kind::Client,
        "org.apache.tomcat.util.net.NioEndpoint$NioSocketWrapper.*",
    ),
    Rule::plain(
        Kind::Client,
        "org.apache.tomcat.util.net.Nio2Endpoint$Nio2SocketWrapper.*",
    ),
    Rule::plain(
        Kind::Client,
        "org.apache.tomcat.util.net.AprEndpoint$AprSocketWrapper.*",
    ),
    Rule::plain(Kind::Client, "org.apache.tomcat.util.net.NioBlockingSelector.*"),
    Rule::plain(Kind::Client, "org.apache.tomcat.util.net.NioSelectorPool.*"),
    Rule::named(
        Kind::Log,
        ACCESS_LOG,
        "org.apache.catalina.valves.AbstractAccessLogValve.*",
    ),
    Rule::named(
        Kind::Log,
        ACCESS_LOG,
        "org.apache.catalina.valves.AccessLogValve.*",
    ),
    Rule::named(Kind::Log, "Tomcat's log", "org.apache.juli.*"),
    // Jetty.
    Rule::plain(
        Kind::Idle,
        "org.eclipse.jetty.util.thread.QueuedThreadPool.idleJobPoll",
    ),
    Rule::plain(
        Kind::Idle,
        "org.eclipse.jetty.util.thread.QueuedThreadPool$Runner.idleJobPoll",
    ),
    Rule::plain(Kind::Idle, "org.eclipse.jetty.util.BlockingArrayQueue.*"),
    Rule::plain(
        Kind::Events,
        "org.eclipse.jetty.util.thread.ReservedThreadExecutor$ReservedThread.*",
    ),
    Rule::plain(Kind::Client, "org.eclipse.jetty.server.HttpOutput.*"),
    Rule::plain(Kind::Client, "org.eclipse.jetty.server.HttpInput*"),
    Rule::plain(Kind::Client, "*.servlet.HttpOutput.*"),
    Rule::plain(Kind::Client, "*.servlet.HttpInput.*"),
    Rule::plain(Kind::Client, "*.servlet.BlockingContentProducer.*"),
    Rule::plain(Kind::Client, "org.eclipse.jetty.util.Blocker*"),
    Rule::plain(Kind::Client, "org.eclipse.jetty.util.SharedBlockingCallback*"),
    Rule::plain(Kind::Client, "org.eclipse.jetty.io.content.*"),
    Rule::plain(Kind::Client, "org.eclipse.jetty.io.Content$*"),
    Rule::named(
        Kind::Log,
        ACCESS_LOG,
        "org.eclipse.jetty.server.CustomRequestLog.*",
    ),
    Rule::named(
        Kind::Log,
        ACCESS_LOG,
        "org.eclipse.jetty.util.RolloverFileOutputStream.*",
    ),
    Rule::plain(
        Kind::Idle,
        "org.eclipse.jetty.server.AsyncRequestLogWriter$WriterThread.run",
    ),
    // Undertow and XNIO.
    Rule::plain(
        Kind::Idle,
        "org.jboss.threads.EnhancedQueueExecutor$PoolThreadNode.*",
    ),
    Rule::plain(Kind::Idle, "org.jboss.threads.EnhancedQueueExecutor$ThreadBody.*"),
    Rule::plain(Kind::Client, "io.undertow.servlet.spec.ServletOutputStreamImpl.*"),
    Rule::plain(Kind::Client, "io.undertow.servlet.spec.ServletInputStreamImpl.*"),
    Rule::plain(Kind::Client, "io.undertow.io.UndertowOutputStream.*"),
    Rule::plain(Kind::Client, "io.undertow.io.UndertowInputStream.*"),
    Rule::plain(Kind::Client, "io.undertow.io.BlockingSenderImpl.*"),
    Rule::plain(Kind::Client, "org.xnio.channels.Channels.*"),
    Rule::plain(Kind::Client, "org.xnio.nio.NioSocketConduit.await*"),
    Rule::named(Kind::Log, ACCESS_LOG, "io.undertow.server.handlers.accesslog.*"),
    // Helidon, where a virtual thread waits for the next request of its connection.
    Rule::plain(Kind::Idle, "io.helidon.common.socket.PlainSocket.read"),
    Rule::plain(Kind::Idle, "io.helidon.common.socket.PlainSocket.get"),
    Rule::plain(Kind::Idle, "io.helidon.common.socket.TlsSocket.read"),
    Rule::plain(Kind::Idle, "io.helidon.common.socket.TlsSocket.get"),
    Rule::plain(Kind::Client, "io.helidon.common.socket.PlainSocket.write"),
    Rule::plain(Kind::Client, "io.helidon.common.socket.TlsSocket.write"),
    // Netty.
    Rule::plain(Kind::Events, "io.netty.channel.epoll.Native.*"),
    Rule::plain(Kind::Events, "io.netty.channel.epoll.EpollEventLoop.epollWait*"),
    Rule::plain(Kind::Events, "io.netty.channel.epoll.EpollIoHandler.epollWait*"),
    Rule::plain(Kind::Events, "io.netty.channel.uring.Native.*"),
    Rule::plain(
        Kind::Idle,
        "io.netty.util.concurrent.SingleThreadEventExecutor.takeTask",
    ),
    Rule::plain(
        Kind::Idle,
        "io.netty.util.concurrent.GlobalEventExecutor.takeTask",
    ),
    Rule::plain(Kind::Idle, "io.netty.util.HashedWheelTimer$Worker.*"),
];

/// Methods that a thread has on its stack while it answers a request.
const REQUESTS: &[&str] = &[
    "javax.servlet.http.HttpServlet.*",
    "jakarta.servlet.http.HttpServlet.*",
    "javax.servlet.GenericServlet.*",
    "jakarta.servlet.GenericServlet.*",
    "*FilterChain.doFilter",
    "org.apache.catalina.connector.CoyoteAdapter.*",
    "org.apache.coyote.*",
    "org.eclipse.jetty.server.Server.handle*",
    "org.eclipse.jetty.server.HttpChannel.*",
    "org.eclipse.jetty.server.HttpConnection.*",
    "org.eclipse.jetty.server.internal.*",
    "org.eclipse.jetty.http2.server.*",
    "io.undertow.server.Connectors.*",
    "io.undertow.server.HttpServerExchange*",
    "sun.net.httpserver.ServerImpl$Exchange*",
    "sun.net.httpserver.AuthFilter.*",
    "com.sun.net.httpserver.Filter$Chain.*",
    "reactor.netty.http.server.*",
    "org.springframework.web.reactive.*",
    "org.springframework.http.server.reactive.*",
    "io.vertx.core.http.impl.Http1xServer*",
    "io.vertx.core.http.impl.http1.Http1Server*",
    "io.vertx.ext.web.*",
    "io.quarkus.vertx.http.*",
    "org.jboss.resteasy.core.*",
    "org.jboss.resteasy.reactive.*",
    "io.micronaut.http.server.*",
    "io.helidon.webserver.*",
    "io.helidon.nima.*",
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
    REQUESTS.iter().any(|pattern| matches(pattern, method))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_answers_a_request_is_known_by_its_stack() {
        assert!(serves_request("javax.servlet.http.HttpServlet.service"));
        assert!(serves_request(
            "org.apache.catalina.core.ApplicationFilterChain.doFilter"
        ));
        assert!(serves_request(
            "org.eclipse.jetty.server.internal.HttpChannelState$HandlerInvoker.run"
        ));
        assert!(!serves_request(
            "java.util.concurrent.ThreadPoolExecutor.runWorker"
        ));
    }
}
