package parcel.tracking;

import com.google.common.util.concurrent.RateLimiter;
import io.github.resilience4j.bulkhead.Bulkhead;
import io.github.resilience4j.bulkhead.BulkheadConfig;
import jakarta.annotation.PreDestroy;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import okhttp3.ConnectionPool;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/** The client of the scanners' database. It is guarded, because it is not ours. */
@Component
public class Scanners {
    private final OkHttpClient client = new OkHttpClient.Builder()
            .connectionPool(new ConnectionPool(40, 1, TimeUnit.MINUTES))
            .readTimeout(5, TimeUnit.SECONDS)
            .build();
    private final RateLimiter agreed;
    private final Bulkhead bulkhead;
    private final URI address;

    public Scanners(@Value("${scanners.per-second}") double perSecond, @Value("${scanners.at-once}") int atOnce) throws IOException {
        agreed = RateLimiter.create(perSecond);
        bulkhead = Bulkhead.of("scanners", BulkheadConfig.custom().maxConcurrentCalls(atOnce).maxWaitDuration(Duration.ofSeconds(5)).build());
        address = LocalScanners.start();
    }

    public String last(String parcel) throws Exception {
        agreed.acquire();
        return bulkhead.executeCallable(() -> ask(parcel));
    }

    private String ask(String parcel) throws IOException {
        Request request = new Request.Builder().url(address + "/parcels/" + parcel).build();
        try (Response response = client.newCall(request).execute()) {
            return response.body().string();
        }
    }

    @PreDestroy
    public void stop() {
        LocalScanners.stop();
    }
}
