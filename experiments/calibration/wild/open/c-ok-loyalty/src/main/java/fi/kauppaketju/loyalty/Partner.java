package fi.kauppaketju.loyalty;

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

/** The partner with whom points are shared confirms each booking. */
@Component
class Partner {
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Process service;
    private final URI confirm;

    Partner() throws IOException {
        String script = new ClassPathResource("partner.py").getContentAsString(StandardCharsets.UTF_8);
        service = new ProcessBuilder("python3", "-c", script).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        String port = new BufferedReader(new InputStreamReader(service.getInputStream())).readLine();
        confirm = URI.create("http://127.0.0.1:" + port + "/confirm");
    }

    boolean confirms() {
        HttpRequest request = HttpRequest.newBuilder(confirm).timeout(Duration.ofSeconds(5)).build();
        try {
            return client.send(request, HttpResponse.BodyHandlers.ofString()).body().equals("ok");
        } catch (IOException e) {
            throw new IllegalStateException("the partner does not answer", e);
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
