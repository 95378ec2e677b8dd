package credit.scoring;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.javalin.Javalin;
import java.util.Map;

/** Decides about credits, on virtual threads. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        int calls = Integer.getInteger("scoring.calls", 12);
        Scoring scoring = new Scoring(System.getenv("SCORING_ADDRESS"), calls);
        ObjectMapper json = new ObjectMapper();
        Javalin.create(config -> {
            config.useVirtualThreads = true;
            config.showJavalinBanner = false;
        }).get("/decision", context -> {
            int score = json.readTree(scoring.of(context.queryParam("person"))).get("score").asInt();
            context.contentType("application/json");
            context.result(json.writeValueAsString(Map.of("granted", score > 500)));
        }).start("127.0.0.1", port);
    }
}
