package com.example.parcels;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** States of parcels for the handhelds of drivers. A handheld opens a connection for each question. */
public final class Main {
    private static final int WORKERS = 64;

    private Main() {}

    public static void main(String[] args) throws IOException {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        boolean later = Boolean.parseBoolean(System.getenv("PARCELS_LOOK_LATER"));
        BlockedNetworks blocked = new BlockedNetworks();
        ExecutorService workers = Executors.newFixedThreadPool(WORKERS);
        try (ServerSocket listener = new ServerSocket()) {
            if (later) {
                listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 512);
            } else {
                listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            }
            while (true) {
                Socket socket = listener.accept();
                if (later) {
                    workers.execute(() -> serve(socket, blocked));
                } else if (blocked.contain(socket.getInetAddress())) {
                    socket.close();
                } else {
                    workers.execute(() -> new Conversation(socket).run());
                }
            }
        }
    }

    private static void serve(Socket socket, BlockedNetworks blocked) {
        if (!blocked.contain(socket.getInetAddress())) {
            new Conversation(socket).run();
            return;
        }
        try {
            socket.close();
        } catch (IOException e) {
            // It is closed in any case.
        }
    }
}
