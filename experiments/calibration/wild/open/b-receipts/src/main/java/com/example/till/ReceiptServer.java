package com.example.till;

import io.undertow.Undertow;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.handlers.BlockingHandler;
import io.undertow.util.Headers;
import io.undertow.util.Methods;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Tills send their receipts with POST /receipts. A receipt that was answered with 201 must survive a power failure. */
public final class ReceiptServer {
    private ReceiptServer() {}

    public static void main(String[] arguments) throws IOException {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        Path folder = Files.createTempDirectory("receipts-");
        Archive archive = System.getProperty("receipts.archive", "files").equals("journal")
                ? new JournalArchive(folder)
                : new FileArchive(folder);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));

        Undertow.builder()
                .addHttpListener(port, "0.0.0.0")
                .setWorkerThreads(200)
                .setHandler(new BlockingHandler(exchange -> handle(exchange, archive)))
                .build()
                .start();
    }

    private static void handle(HttpServerExchange exchange, Archive archive) throws IOException {
        exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, "application/json");
        if (!exchange.getRequestMethod().equals(Methods.POST)) {
            exchange.getResponseSender().send("{\"archive\":\"ready\"}");
            return;
        }
        byte[] receipt = exchange.getInputStream().readAllBytes();
        archive.store(receipt);
        exchange.setStatusCode(201);
        exchange.getResponseSender().send("{\"stored\":" + receipt.length + "}");
    }

    private static void delete(Path folder) {
        try (var files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(folder);
        } catch (IOException problem) {
            System.err.println("cannot delete " + folder + ": " + problem);
        }
    }
}
