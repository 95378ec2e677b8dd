package warehouse.stock;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import io.javalin.Javalin;

/** Tells where an article lies and how many of it there are. */
public final class Main {
    private Main() {}

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        String workers = System.getenv().getOrDefault("WAREHOUSE_WORKERS", "1");
        Warehouse warehouse = new Warehouse(LocalWarehouse.start(workers));
        Gson gson = new Gson();
        Javalin.create(config -> config.showJavalinBanner = false)
                .get("/stock/{article}", context -> {
                    JsonObject place = gson.fromJson(warehouse.place(context.pathParam("article")), JsonObject.class);
                    place.addProperty("article", context.pathParam("article"));
                    context.contentType("application/json").result(gson.toJson(place));
                })
                .start("127.0.0.1", port);
    }
}
