package com.example.tariffs;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** Looks prices up in the tariff book of head office. */
final class TariffBook {
    private static final HttpClient CLIENT = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final String address;

    TariffBook(String address) {
        this.address = address;
    }

    int price(String zone, int grams) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + address + "/rates/" + zone)).timeout(Duration.ofSeconds(10)).build();
        int perKilogram = Integer.parseInt(CLIENT.send(request, BodyHandlers.ofString()).body().trim());
        return 390 + perKilogram * grams / 1000;
    }
}
