package catalog.api;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import okhttp3.ConnectionPool;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/** The client of the review service. */
final class Reviews {
    private final OkHttpClient client = new OkHttpClient.Builder()
            .connectionPool(new ConnectionPool(64, 1, TimeUnit.MINUTES))
            .readTimeout(5, TimeUnit.SECONDS)
            .build();
    private final URI address;

    Reviews(URI address) {
        this.address = address;
    }

    String of(String article) {
        Request request = new Request.Builder().url(address + "/reviews/" + article).build();
        try (Response response = client.newCall(request).execute()) {
            return response.body().string();
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }
}
