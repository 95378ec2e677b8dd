package com.example.prices;

import io.undertow.Undertow;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.Headers;
import io.undertow.util.SameThreadExecutor;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** GET /prices/next answers at the next tick with the prices of the market, of which there are twenty a second. */
public final class PriceServer {
    private static final long TICK = 50;

    private static final Queue<HttpServerExchange> WAITING = new ConcurrentLinkedQueue<>();

    private PriceServer() {}

    public static void main(String[] arguments) {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        ScheduledExecutorService market = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "market");
            thread.setDaemon(true);
            return thread;
        });
        market.scheduleAtFixedRate(PriceServer::tick, TICK, TICK, TimeUnit.MILLISECONDS);

        Undertow.builder()
                .addHttpListener(port, "0.0.0.0")
                .setIoThreads(Integer.getInteger("prices.io", 2))
                .setWorkerThreads(Integer.getInteger("prices.workers", 2))
                .setHandler(exchange -> exchange.dispatch(SameThreadExecutor.INSTANCE, () -> WAITING.add(exchange)))
                .build()
                .start();
    }

    /** Answers all who wait, each on the I/O thread of its connection. */
    private static void tick() {
        String prices = prices();
        for (HttpServerExchange exchange = WAITING.poll(); exchange != null; exchange = WAITING.poll()) {
            HttpServerExchange waiting = exchange;
            waiting.getIoThread().execute(() -> {
                waiting.getResponseHeaders().put(Headers.CONTENT_TYPE, "application/json");
                waiting.getResponseSender().send(prices);
            });
        }
    }

    /** The market is closed on weekends, and its prices stay as they are. */
    private static String prices() {
        StringBuilder json = new StringBuilder("{");
        for (int i = 0; i < 30; i++) {
            json.append(i == 0 ? "" : ",").append("\"DE000").append(7_100_000 + i * 37).append("\":").append(1200 + i * 31);
        }
        return json.append('}').toString();
    }
}
