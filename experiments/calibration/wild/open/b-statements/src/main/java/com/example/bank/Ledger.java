package com.example.bank;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/** Asks the ledger for the bookings of an account. */
@Component
public class Ledger {
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String address;

    public Ledger(@Value("${ledger.address:127.0.0.1:7070}") String address) {
        this.address = address;
    }

    String bookings(String account) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + address + "/accounts/" + account))
                .timeout(Duration.ofSeconds(5))
                .build();
        try {
            return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(stopping);
        }
    }
}
