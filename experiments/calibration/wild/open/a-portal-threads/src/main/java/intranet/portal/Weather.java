package intranet.portal;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

final class Weather {
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI address;

    Weather(URI address) {
        this.address = address;
    }

    String today(String town) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(address.resolve("/weather/" + town)).build();
        CompletableFuture<String> answer = client.sendAsync(request, BodyHandlers.ofString()).thenApply(HttpResponse::body);
        try {
            return answer.get(5, TimeUnit.SECONDS);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", stopping);
        } catch (ExecutionException | TimeoutException problem) {
            throw new IOException("no weather", problem);
        }
    }
}
