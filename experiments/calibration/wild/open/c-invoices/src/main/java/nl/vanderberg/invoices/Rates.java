package nl.vanderberg.invoices;

import jakarta.annotation.PreDestroy;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.springframework.core.io.ClassPathResource;
import org.springframework.stereotype.Component;

/** Exchange rates of the bank. */
@Component
class Rates {
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Process service;
    private final String base;

    Rates() throws IOException {
        String script = new ClassPathResource("rates.py").getContentAsString(StandardCharsets.UTF_8);
        service = new ProcessBuilder("python3", "-c", script).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        String port = new BufferedReader(new InputStreamReader(service.getInputStream())).readLine();
        base = "http://127.0.0.1:" + port + "/rates/";
    }

    double of(String currency) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(base + currency)).timeout(Duration.ofSeconds(5)).build();
        try {
            return Double.parseDouble(client.send(request, HttpResponse.BodyHandlers.ofString()).body());
        } catch (IOException e) {
            throw new IllegalStateException("no rate of " + currency, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @PreDestroy
    void stop() {
        service.destroy();
    }
}
