package com.example.archive;

import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Executors;

/** Shows the messages of the mail archive. Arguments: the port and the folder of the archive. */
public final class ArchiveServer {
    private ArchiveServer() {}

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(args[0]);
        Archive archive = Archive.open(Path.of(args[1]));
        Scanner scanner = Scanner.start();
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 1024);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/health", exchange -> {
            byte[] ok = "ok".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, ok.length);
            exchange.getResponseBody().write(ok);
            exchange.close();
        });
        server.createContext("/messages/", new MessageHandler(archive, scanner));
        server.start();
    }
}
