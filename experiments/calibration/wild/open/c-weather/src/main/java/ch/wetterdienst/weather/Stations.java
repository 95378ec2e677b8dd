package ch.wetterdienst.weather;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** Reads the stations of the weather service. */
class Stations {
    private final URI latest;
    private final HttpClient kept;

    Stations(String address, boolean keep) {
        latest = URI.create("http://" + address + "/stations/saentis/latest");
        kept = keep ? client() : null;
    }

    String latest() throws IOException {
        HttpClient client = kept == null ? client() : kept;
        HttpRequest request = HttpRequest.newBuilder(latest).timeout(Duration.ofSeconds(3)).build();
        try {
            return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    private static HttpClient client() {
        return HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(2))
            .build();
    }
}
