package com.example.rules.engine;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntUnaryOperator;

/** Premiums of contracts, by the rules of today. */
public final class Main {
    private static final String RULE = "com.example.rules.tariff.HouseholdRule";

    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String repository;
    private final boolean direct;

    private Main(String repository, boolean direct) {
        this.repository = repository;
        this.direct = direct;
    }

    public static void main(String[] args) throws Exception {
        // The head and the body of an answer are two writes.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        Main main = new Main(Repository.start(), Boolean.parseBoolean(System.getenv("RULES_DIRECT")));
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 256);
        // Compiled for Java 17, but operated on a newer one.
        server.setExecutor((ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null));
        server.createContext("/premium", main::premium);
        server.start();
    }

    private void premium(HttpExchange exchange) throws IOException {
        int contract = Integer.parseInt(exchange.getRequestURI().getQuery().substring("contract=".length()));
        byte[] body;
        int status = 200;
        try {
            body = String.format("{\"contract\":%d,\"cents\":%d}", contract, rule().applyAsInt(contract)).getBytes(StandardCharsets.UTF_8);
        } catch (ReflectiveOperationException e) {
            status = 500;
            body = e.toString().getBytes(StandardCharsets.UTF_8);
        }
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private IntUnaryOperator rule() throws ReflectiveOperationException {
        RuleLoader loader = new RuleLoader(client, repository);
        Class<?> rule = direct ? loader.loadClass(RULE) : Class.forName(RULE, true, loader);
        return (IntUnaryOperator) rule.getConstructor().newInstance();
    }
}
