package com.example.labels;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Prints labels of parcels. */
public final class LabelServer {
    private static final int PROOFS = 120;

    private LabelServer() {}

    public static void main(String[] args) throws IOException {
        // The head and the body of an answer are two writes.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        int threads = Integer.parseInt(System.getenv().getOrDefault("LABEL_THREADS", "240"));
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 256);
        server.setExecutor(pool);
        server.createContext("/label", LabelServer::answer);
        server.start();
    }

    private static void answer(HttpExchange exchange) throws IOException {
        String parcel = exchange.getRequestURI().getQuery().substring("parcel=".length());
        byte[] body = label(parcel);
        exchange.getResponseHeaders().set("Content-Type", "text/plain");
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    /** Two lines of text in many fonts; the customer chooses one. */
    private static byte[] label(String parcel) {
        Glyphs glyphs = Glyphs.ofThisThread();
        List<int[]> proofs = new ArrayList<>();
        for (int font = 0; font < PROOFS; font++) {
            int[] rows = new int[64 * parcel.length()];
            for (int i = 0; i < parcel.length(); i++) {
                int[] picture = glyphs.picture(font % Glyphs.FONTS, parcel.charAt(i));
                for (int row = 0; row < picture.length; row++) {
                    rows[row * parcel.length() + i] = picture[row];
                }
            }
            proofs.add(rows);
        }
        StringBuilder text = new StringBuilder("proofs " + proofs.size() + "\n");
        for (int row = 0; row < 16; row++) {
            for (int i = 0; i < parcel.length(); i++) {
                text.append(Integer.toHexString(proofs.get(0)[row * parcel.length() + i]));
            }
            text.append('\n');
        }
        return text.toString().getBytes(StandardCharsets.US_ASCII);
    }
}
