package credit.scoring;

import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** The client of the scoring agency. The bulkhead keeps a slow agency from taking the whole service. */
final class Scoring {
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(2)).build();
    private final Bulkhead bulkhead;
    private final String address;

    Scoring(String address, int calls) {
        this.address = address;
        this.bulkhead = Bulkhead.of("scoring", BulkheadConfig.custom()
                .maxConcurrentCalls(calls)
                .maxWaitDuration(Duration.ofSeconds(8))
                .build());
    }

    String of(String person) throws Exception {
        return bulkhead.executeCallable(() -> ask(person));
    }

    private String ask(String person) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + address + "/scores/" + person)).timeout(Duration.ofSeconds(5)).build();
        return client.send(request, BodyHandlers.ofString()).body();
    }
}
