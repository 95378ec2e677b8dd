package com.example.tariffs;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Vertx;

public final class Main {
    private Main() {}

    public static void main(String[] args) {
        Vertx vertx = Vertx.vertx();
        vertx.deployVerticle(TariffVerticle::new, new DeploymentOptions().setInstances(Integer.getInteger("tariffs.instances", 1)))
                .onFailure(failure -> {
                    failure.printStackTrace();
                    vertx.close();
                });
    }
}
