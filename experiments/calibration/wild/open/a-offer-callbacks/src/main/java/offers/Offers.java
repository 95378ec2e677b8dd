package offers;

import com.google.gson.Gson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Makes an offer from what is known about the customer and the discounts of their class. */
final class Offers {
    record Customer(String name, String level) {}

    record Discount(double percent) {}

    record Offer(String customer, double percent) {}

    private final Gson gson = new Gson();
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(2)).build();
    private final ExecutorService callbacks;
    private final String customers;
    private final String discounts;

    /** `callbackThreads` threads work on what has arrived. */
    Offers(String customers, String discounts, int callbackThreads) {
        this.customers = customers;
        this.discounts = discounts;
        this.callbacks = Executors.newFixedThreadPool(callbackThreads);
    }

    CompletableFuture<Offer> forCustomer(String number) {
        return client.sendAsync(get(customers, "/customers/" + number), BodyHandlers.ofString())
                .thenApplyAsync(response -> gson.fromJson(response.body(), Customer.class), callbacks)
                .thenApplyAsync(this::discounted, callbacks);
    }

    private Offer discounted(Customer customer) {
        try {
            HttpResponse<String> response = client.send(get(discounts, "/discounts/" + customer.level()), BodyHandlers.ofString());
            return new Offer(customer.name(), gson.fromJson(response.body(), Discount.class).percent());
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", stopping);
        }
    }

    private static HttpRequest get(String address, String path) {
        return HttpRequest.newBuilder(URI.create("http://" + address + path)).timeout(Duration.ofSeconds(5)).build();
    }
}
