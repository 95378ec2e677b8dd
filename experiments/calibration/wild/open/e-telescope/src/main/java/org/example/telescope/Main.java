package org.example.telescope;

import io.undertow.Handlers;
import io.undertow.Undertow;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.handlers.BlockingHandler;
import io.undertow.util.Headers;

/** Frames of a small telescope. */
public final class Main {
    private static final long SENSOR_MILLIS = 12;
    private static final Catalogue CATALOGUE = new Catalogue();

    private Main() {}

    public static void main(String[] args) {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        Undertow.builder()
                .addHttpListener(port, "127.0.0.1")
                .setWorkerThreads(32)
                .setHandler(Handlers.path().addExactPath("/frame", new BlockingHandler(Main::frame)))
                .build()
                .start();
    }

    private static void frame(HttpServerExchange exchange) throws InterruptedException {
        int star = Integer.parseInt(exchange.getQueryParameters().get("star").getFirst());
        Frame raw = Frame.around(CATALOGUE.position(star));
        Thread.sleep(SENSOR_MILLIS);
        Frame frame = raw.calibrated();
        exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, "application/json");
        exchange.getResponseSender().send("{\"star\":" + star + ",\"brightness\":" + frame.brightness() + "}");
    }
}
