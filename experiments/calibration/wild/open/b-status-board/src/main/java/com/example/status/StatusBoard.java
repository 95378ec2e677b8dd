package com.example.status;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;

/** The boards on the platforms ask with GET /board/STATION for the next departures, several times a second. */
public final class StatusBoard {
    private StatusBoard() {}

    public static void main(String[] arguments) throws IOException {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        // Otherwise a body waits until the headers before it are acknowledged, up to 40 ms.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        HttpServer server = HttpServer.create(new InetSocketAddress(port), 2048);
        server.setExecutor(Executors.newFixedThreadPool(32));
        server.createContext("/board/", exchange -> {
            byte[] body = departures(exchange.getRequestURI().getPath().substring("/board/".length())).getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    private static String departures(String station) {
        StringBuilder board = new StringBuilder(station).append('\n');
        for (int i = 0; i < 8; i++) {
            board.append(8 + i / 4).append(':').append(10 + i * 7 % 50).append("  RE ").append(1 + i % 4).append("  platform ").append(1 + i % 3).append('\n');
        }
        return board.toString();
    }
}
