package com.example.meters;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.javalin.Javalin;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.atomic.LongAdder;

/** Takes the quarter-hour readings that the concentrators of the power grid send. */
public final class Readings {
    private static final JsonFactory JSON = new JsonFactory();
    private static final LongAdder total = new LongAdder();

    private Readings() {}

    public static void main(String[] args) {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        Javalin.create(config -> {
            config.useVirtualThreads = Boolean.getBoolean("readings.virtual");
            config.showJavalinBanner = false;
        }).post("/readings", context -> {
            int count = count(context.bodyInputStream());
            total.add(count);
            context.status(202);
            context.contentType("application/json");
            context.result("{\"accepted\":" + count + "}");
        }).start("127.0.0.1", port);
    }

    private static int count(InputStream body) throws IOException {
        int count = 0;
        try (JsonParser parser = JSON.createParser(body)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                if (token == JsonToken.FIELD_NAME && parser.currentName().equals("kwh")) {
                    parser.nextToken();
                    if (parser.getDoubleValue() >= 0) {
                        count++;
                    }
                }
            }
        }
        return count;
    }
}
