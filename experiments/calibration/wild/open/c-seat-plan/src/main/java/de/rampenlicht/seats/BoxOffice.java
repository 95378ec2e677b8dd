package de.rampenlicht.seats;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** The box office has the last word on every seat. */
class BoxOffice {
    private final HttpClient client = HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .connectTimeout(Duration.ofSeconds(2))
        .build();
    private final String address;

    BoxOffice(String address) {
        this.address = address;
    }

    boolean reserve(int row, int seat) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + address + "/reserve?row=" + row + "&seat=" + seat))
            .timeout(Duration.ofSeconds(5))
            .build();
        try {
            return client.send(request, HttpResponse.BodyHandlers.ofString()).body().equals("reserved");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }
}
