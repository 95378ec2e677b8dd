package print.jobs;

import io.javalin.Javalin;
import io.lettuce.core.RedisClient;

/** The front of the print service. */
public final class Main {
    private Main() {}

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        RedisClient redis = RedisClient.create("redis://" + System.getenv("QUEUE_ADDRESS"));
        int connections = Integer.parseInt(System.getenv().getOrDefault("QUEUE_CONNECTIONS", "1"));
        Queue queue = connections > 1 ? new PooledQueue(redis, connections) : new SharedQueue(redis);
        Labels labels = new Labels(queue);
        Javalin.create(config -> config.showJavalinBanner = false)
                .get("/health", context -> context.result("ok"))
                .get("/label", context -> context.contentType("application/json").result(labels.label(context.queryParam("parcel"))))
                .start("127.0.0.1", port);
    }
}
