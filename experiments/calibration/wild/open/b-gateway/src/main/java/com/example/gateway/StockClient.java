package com.example.gateway;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** Asks the stock system. */
final class StockClient {
    private final int port;

    StockClient(int port) {
        this.port = port;
    }

    String count(String article) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) URI.create("http://127.0.0.1:" + port + "/stock/" + article).toURL().openConnection();
        connection.setConnectTimeout(2000);
        connection.setReadTimeout(5000);
        try (InputStream body = connection.getInputStream()) {
            return new String(body.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
