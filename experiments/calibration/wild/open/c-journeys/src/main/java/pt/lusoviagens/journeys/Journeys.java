package pt.lusoviagens.journeys;

import io.javalin.Javalin;
import io.javalin.http.Context;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Compares what suppliers ask for a journey, and shows the cheapest. */
public class Journeys {
    private static final List<String> SUPPLIERS = List.of("air", "rail", "coach");

    private final Suppliers suppliers;

    Journeys(Suppliers suppliers) {
        this.suppliers = suppliers;
    }

    public static void main(String[] args) {
        Suppliers suppliers = new Suppliers(
            System.getProperty("journeys.suppliers", "127.0.0.1:9720"), Integer.getInteger("journeys.workers", 0));
        Journeys journeys = new Journeys(suppliers);
        Javalin.create(config -> config.showJavalinBanner = false)
            .get("/journeys", journeys::cheapest)
            .get("/health", context -> context.result("ok"))
            .start("127.0.0.1", Integer.parseInt(args[0]));
    }

    private void cheapest(Context context) {
        List<CompletableFuture<Offer>> offers = SUPPLIERS.stream().map(suppliers::ask).toList();
        Offer best = offers.stream()
            .map(CompletableFuture::join)
            .min((one, other) -> Double.compare(one.price(), other.price()))
            .orElseThrow();
        context.contentType("application/json");
        context.result("{\"supplier\":\"" + best.supplier() + "\",\"price\":" + best.price() + "}");
    }
}
