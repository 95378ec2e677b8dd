package com.example.events;

import io.undertow.Undertow;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.handlers.BlockingHandler;
import io.undertow.util.Headers;
import io.undertow.util.Methods;
import java.io.IOException;

/** POST /events takes what happened in a shop window; the statistics of tomorrow may miss the last moment before a crash. */
public final class EventServer {
    private EventServer() {}

    public static void main(String[] arguments) throws IOException {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        EventJournal journal = new EventJournal(Boolean.parseBoolean(System.getProperty("events.force", "true")));
        Undertow.builder()
                .addHttpListener(port, "0.0.0.0")
                .setWorkerThreads(64)
                .setHandler(new BlockingHandler(exchange -> handle(exchange, journal)))
                .build()
                .start();
    }

    private static void handle(HttpServerExchange exchange, EventJournal journal) throws IOException {
        exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, "application/json");
        if (!exchange.getRequestMethod().equals(Methods.POST)) {
            exchange.getResponseSender().send("{\"journal\":\"open\"}");
            return;
        }
        byte[] event = exchange.getInputStream().readAllBytes();
        boolean taken = journal.add(event);
        exchange.setStatusCode(taken ? 202 : 503);
        exchange.getResponseSender().send(taken ? "{\"taken\":true}" : "{\"taken\":false}");
    }
}
