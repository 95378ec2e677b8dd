package com.example.forum;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;

/** A forum: GET /threads/ID shows the comments of a thread. */
public final class ForumServer {
    private ForumServer() {}

    public static void main(String[] arguments) throws IOException {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        Comments comments = Comments.load();
        Renderer renderer = Renderer.named(System.getProperty("forum.renderer", "1"));

        // Otherwise a body waits until the headers before it are acknowledged, up to 40 ms.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        HttpServer server = HttpServer.create(new InetSocketAddress(port), 1024);
        server.setExecutor(Executors.newFixedThreadPool(128));
        server.createContext("/threads/", exchange -> {
            String path = exchange.getRequestURI().getPath();
            String page = renderer.page(comments.of(path.substring(path.lastIndexOf('/') + 1)));
            answer(exchange, 200, page);
        });
        server.createContext("/", exchange -> answer(exchange, 200, "forum"));
        server.start();
    }

    private static void answer(HttpExchange exchange, int status, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }
}
