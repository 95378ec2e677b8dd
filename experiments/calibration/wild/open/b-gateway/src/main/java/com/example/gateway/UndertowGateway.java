package com.example.gateway;

import io.undertow.Handlers;
import io.undertow.Undertow;
import io.undertow.server.handlers.BlockingHandler;
import io.undertow.util.Headers;
import io.undertow.util.PathTemplateMatch;

/** The gateway on Undertow, with its defaults. */
final class UndertowGateway {
    private UndertowGateway() {}

    static void start(int port, StockClient stock) {
        Undertow.builder()
                .addHttpListener(port, "0.0.0.0")
                .setHandler(Handlers.pathTemplate()
                        .add("/health", exchange -> exchange.getResponseSender().send("ok"))
                        .add("/stock/{article}", new BlockingHandler(exchange -> {
                            String article = exchange.getAttachment(PathTemplateMatch.ATTACHMENT_KEY).getParameters().get("article");
                            exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, "application/json");
                            exchange.getResponseSender().send(stock.count(article));
                        })))
                .build()
                .start();
    }
}
