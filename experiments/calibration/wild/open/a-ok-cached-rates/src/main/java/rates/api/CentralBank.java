package rates.api;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/** The client of the central bank, which takes its time. */
@Component
public class CentralBank {
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(2)).build();
    private final String address;

    public CentralBank(@Value("${BANK_ADDRESS}") String address) {
        this.address = address;
    }

    public String rate(String currency) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + address + "/rates/" + currency)).timeout(Duration.ofSeconds(5)).build();
        return client.send(request, BodyHandlers.ofString()).body();
    }
}
