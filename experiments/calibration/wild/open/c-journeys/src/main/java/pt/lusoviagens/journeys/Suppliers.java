package pt.lusoviagens.journeys;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import okhttp3.ConnectionPool;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;

/** Asks the suppliers, all at the same time. */
class Suppliers {
    private final OkHttpClient client = new OkHttpClient.Builder()
        .connectionPool(new ConnectionPool(256, 1, TimeUnit.MINUTES))
        .callTimeout(Duration.ofSeconds(5))
        .build();
    private final String address;
    private final ExecutorService workers;

    Suppliers(String address, int workers) {
        this.address = address;
        this.workers = workers > 0 ? Executors.newFixedThreadPool(workers) : null;
    }

    CompletableFuture<Offer> ask(String supplier) {
        return workers == null
            ? CompletableFuture.supplyAsync(() -> fetch(supplier))
            : CompletableFuture.supplyAsync(() -> fetch(supplier), workers);
    }

    private Offer fetch(String supplier) {
        Request request = new Request.Builder().url("http://" + address + "/" + supplier).build();
        try (Response response = client.newCall(request).execute()) {
            return new Offer(supplier, Double.parseDouble(response.body().string()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
