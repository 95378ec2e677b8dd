package offers;

import com.google.gson.Gson;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

final class OfferHandler implements HttpHandler {
    private final Gson gson = new Gson();
    private final Offers offers;

    OfferHandler(Offers offers) {
        this.offers = offers;
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        int status = 200;
        String body;
        try {
            body = gson.toJson(offers.forCustomer("4711").get(8, TimeUnit.SECONDS));
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            status = 503;
            body = "{}";
        } catch (ExecutionException | TimeoutException problem) {
            status = 504;
            body = gson.toJson(Map.of("problem", String.valueOf(problem.getMessage())));
        }
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }
}
