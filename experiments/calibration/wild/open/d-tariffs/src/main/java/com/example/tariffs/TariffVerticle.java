package com.example.tariffs;

import io.vertx.core.AbstractVerticle;
import io.vertx.core.Promise;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;

/** Answers what a parcel costs. */
final class TariffVerticle extends AbstractVerticle {
    private final TariffBook book = new TariffBook(System.getenv("RATES_ADDRESS"));

    @Override
    public void start(Promise<Void> started) {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        vertx.createHttpServer(new HttpServerOptions().setHost("127.0.0.1").setPort(port).setAcceptBacklog(1024))
                .requestHandler(this::quote)
                .listen()
                .<Void>mapEmpty()
                .onComplete(started);
    }

    private void quote(HttpServerRequest request) {
        String zone = request.getParam("zone", "1");
        int grams = Integer.parseInt(request.getParam("grams", "1000"));
        // The tariff book is an old library that blocks.
        vertx.executeBlocking(() -> book.price(zone, grams))
                .onSuccess(cents -> request.response()
                        .putHeader("Content-Type", "application/json")
                        .end(new JsonObject().put("zone", zone).put("grams", grams).put("cents", cents).encode()))
                .onFailure(failure -> request.response().setStatusCode(502).end());
    }
}
