package com.example.warehouse;

import io.vertx.core.AbstractVerticle;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;

/** What lies on the scales of the packing tables. */
final class TablesVerticle extends AbstractVerticle {
    private final Scales scales = new Scales();
    private final int port;
    private final boolean ordered;

    TablesVerticle(int port, boolean ordered) {
        this.port = port;
        this.ordered = ordered;
    }

    @Override
    public void start(Promise<Void> started) {
        Router router = Router.router(vertx);
        router.get("/tables/:table/weight").handler(this::weight);
        vertx.createHttpServer().requestHandler(router).listen(port, "127.0.0.1").<Void>mapEmpty().onComplete(started);
    }

    private void weight(RoutingContext context) {
        int table = Integer.parseInt(context.pathParam("table"));
        read(table)
                .onSuccess(grams -> context.json(new JsonObject().put("table", table).put("grams", grams)))
                .onFailure(context::fail);
    }

    private Future<Integer> read(int table) {
        if (ordered) {
            return vertx.executeBlocking(() -> scales.read(table));
        }
        return vertx.executeBlocking(() -> scales.read(table), false);
    }
}
