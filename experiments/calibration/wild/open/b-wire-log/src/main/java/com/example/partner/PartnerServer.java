package com.example.partner;

import io.javalin.Javalin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes the orders of partners as EDI messages, and answers with the sum of what they ordered. */
public final class PartnerServer {
    private static final Logger LOG = LoggerFactory.getLogger(PartnerServer.class);

    private PartnerServer() {}

    public static void main(String[] arguments) {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        Javalin server = Javalin.create(config -> config.showJavalinBanner = false);
        server.get("/orders/sample", context -> {
            EdiMessage message = EdiMessage.sample();
            long cents = message.total();
            LOG.info("order of {} segments, {} cents", message.segments(), cents);
            context.contentType("application/json").result("{\"segments\":" + message.segments() + ",\"cents\":" + cents + "}");
        });
        server.start(port);
    }
}
