package com.example.vouchers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentLinkedDeque;

/** Free connections with the store. There are as many as threads have needed at once. */
final class Store {
    private final ConcurrentLinkedDeque<StoreConnection> free = new ConcurrentLinkedDeque<>();
    private final boolean noDelay = Boolean.getBoolean("vouchers.noDelay");
    private final Process process;
    private final int port;

    Store() throws IOException {
        try (InputStream in = Store.class.getResourceAsStream("/store.py")) {
            process = new ProcessBuilder("python3", "-c", new String(in.readAllBytes(), StandardCharsets.UTF_8))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        }
        port = Integer.parseInt(new BufferedReader(new InputStreamReader(process.getInputStream())).readLine());
    }

    String look(String code) throws IOException {
        StoreConnection connection = free.pollFirst();
        if (connection == null) {
            connection = new StoreConnection(port, noDelay);
        }
        String answer = connection.look(code);
        free.addFirst(connection);
        return answer;
    }

    void stop() {
        process.destroy();
    }
}
