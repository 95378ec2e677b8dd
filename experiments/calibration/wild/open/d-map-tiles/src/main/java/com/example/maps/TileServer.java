package com.example.maps;

import io.undertow.Undertow;
import io.undertow.server.handlers.BlockingHandler;
import io.undertow.util.Headers;
import java.nio.ByteBuffer;
import java.util.Deque;

/** Serves the coverage tiles of the radio planning tool. */
public final class TileServer {
    private TileServer() {}

    public static void main(String[] args) {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        Terrain terrain = Terrain.generate(2048, 4096);
        Renderer renderer = new Renderer(terrain);
        Undertow.builder()
                .addHttpListener(port, "127.0.0.1")
                .setWorkerThreads(64)
                .setHandler(new BlockingHandler(exchange -> {
                    int x = number(exchange.getQueryParameters().get("x"));
                    int y = number(exchange.getQueryParameters().get("y"));
                    byte[] tile = renderer.render(x, y);
                    exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, "image/x-coverage");
                    exchange.getResponseSender().send(ByteBuffer.wrap(tile));
                }))
                .build()
                .start();
    }

    private static int number(Deque<String> values) {
        return values == null ? 0 : Integer.parseInt(values.getFirst());
    }
}
