package mail.status;

import com.google.gson.Gson;
import io.javalin.Javalin;

/** Tells what has become of a mail, and sends mails in the background. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        int senders = Integer.parseInt(System.getenv().getOrDefault("MAIL_SENDERS", "4"));
        Statuses statuses = new Statuses();
        new Senders(System.getenv("QUEUE_ADDRESS"), senders, statuses).start();
        new Archive(statuses).start();
        Gson gson = new Gson();
        Javalin.create(config -> config.showJavalinBanner = false)
                .get("/mails/{id}", context -> context.contentType("application/json").result(gson.toJson(statuses.of(context.pathParam("id")))))
                .start("127.0.0.1", port);
    }
}
