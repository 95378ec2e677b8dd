package warehouse.stock;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** The client of the warehouse system. */
final class Warehouse {
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(2)).build();
    private final URI address;

    Warehouse(URI address) {
        this.address = address;
    }

    String place(String article) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(address.resolve("/places/" + article)).timeout(Duration.ofSeconds(8)).build();
        HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new IOException("the warehouse answered " + response.statusCode());
        }
        return response.body();
    }
}
