package com.example.formulas;

import io.undertow.Undertow;
import io.undertow.server.handlers.BlockingHandler;
import io.undertow.server.handlers.PathHandler;
import io.undertow.util.Headers;
import java.util.Deque;

/** Typesets the formulas of the learning platform. Arguments: the port, the folder of the typesetter and the number of its processes. */
public final class FormulaServer {
    private FormulaServer() {}

    public static void main(String[] args) throws Exception {
        Typesetters typesetters = new Typesetters(args[1], Integer.parseInt(args[2]));
        Undertow.builder()
                .addHttpListener(Integer.parseInt(args[0]), "127.0.0.1")
                .setWorkerThreads(64)
                .setHandler(new PathHandler()
                        .addExactPath("/health", exchange -> exchange.getResponseSender().send("ok"))
                        .addExactPath("/formula", new BlockingHandler(exchange -> {
                            Deque<String> tex = exchange.getQueryParameters().get("tex");
                            String svg = typesetters.typeset(tex == null ? "x" : tex.getFirst());
                            exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, "image/svg+xml");
                            exchange.getResponseSender().send(svg);
                        })))
                .build()
                .start();
    }
}
