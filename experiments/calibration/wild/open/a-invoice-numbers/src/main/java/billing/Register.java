package billing;

import jakarta.annotation.PreDestroy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.springframework.stereotype.Component;

/** The client of the tax register. */
@Component
public class Register {
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(2)).build();
    private final URI address;

    public Register() throws IOException {
        address = LocalRegister.start();
    }

    /** Reserves the numbers from `first` on. */
    public void reserve(long first, int count) {
        HttpRequest request = HttpRequest.newBuilder(address.resolve("/reserve?first=" + first + "&count=" + count))
                .timeout(Duration.ofSeconds(5))
                .build();
        try {
            client.send(request, BodyHandlers.discarding());
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", stopping);
        }
    }

    @PreDestroy
    public void stop() {
        LocalRegister.stop();
    }
}
