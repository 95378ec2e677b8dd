package com.example.warehouse;

import io.vertx.core.Vertx;

/** Starts the verticle of the packing tables. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        boolean ordered = !"false".equals(System.getenv("SCALES_IN_ORDER"));
        Vertx vertx = Vertx.vertx();
        vertx.deployVerticle(new TablesVerticle(port, ordered)).onFailure(problem -> {
            problem.printStackTrace();
            vertx.close();
        });
    }
}
