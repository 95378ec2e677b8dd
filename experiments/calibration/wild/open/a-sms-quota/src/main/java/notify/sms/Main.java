package notify.sms;

import com.google.gson.Gson;
import io.javalin.Javalin;

/** Takes short messages and hands them to the carrier. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        double quota = Double.parseDouble(System.getenv().getOrDefault("CARRIER_QUOTA", "180"));
        Carrier carrier = new Carrier(quota);
        Gson gson = new Gson();
        Javalin.create(config -> config.showJavalinBanner = false)
                .post("/messages", context -> {
                    Message message = gson.fromJson(context.body(), Message.class);
                    carrier.send(message);
                    context.contentType("application/json").result(gson.toJson(new Receipt(message.to(), "sent")));
                })
                .start("127.0.0.1", port);
    }
}
