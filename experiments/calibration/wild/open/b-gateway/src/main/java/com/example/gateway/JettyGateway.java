package com.example.gateway;

import io.javalin.Javalin;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** The gateway as it has always been. */
final class JettyGateway {
    /** The host had one core and 512 MB when this was chosen. */
    private static final int THREADS = 12;

    private JettyGateway() {}

    static void start(int port, StockClient stock) {
        Javalin server = Javalin.create(config -> {
            config.showJavalinBanner = false;
            config.jetty.threadPool = new QueuedThreadPool(THREADS);
        });
        server.get("/health", context -> context.result("ok"));
        server.get("/stock/{article}", context -> context.contentType("application/json").result(stock.count(context.pathParam("article"))));
        server.start(port);
    }
}
