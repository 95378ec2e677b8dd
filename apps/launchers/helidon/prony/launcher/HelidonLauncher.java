package prony.launcher;

import io.helidon.config.Config;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import io.helidon.webserver.staticcontent.StaticContentService;
import prony.app.Handler;
import prony.app.Reply;
import prony.app.Routes;

/** Runs the application in Helidon SE, which takes its settings from system properties: `server.port` and others. */
public final class HelidonLauncher {
    public static void main(String[] arguments) {
        WebServer server = WebServer.builder()
                .config(Config.create().get("server"))
                .routing(HelidonLauncher::route)
                .build()
                .start();
        System.err.println("prony: listens for " + (server.hasTls() ? "https" : "http"));
        var settings = server.prototype();
        System.err.println("prony: most requests at a time: " + settings.maxConcurrentRequests());
        System.err.println("prony: most connections: " + settings.maxTcpConnections());
        System.err.println("prony: everything is deployed");
    }

    private static void route(HttpRouting.Builder routing) {
        Routes.all().forEach((path, handler) ->
                routing.get(path, (request, response) -> answer(request, response, handler)));
        if (HelidonLauncher.class.getResource("/META-INF/resources") != null) {
            routing.register("/", StaticContentService.create("/META-INF/resources"));
        }
    }

    /** Runs in a virtual thread, which may wait. */
    private static void answer(ServerRequest request, ServerResponse response, Handler handler)
            throws InterruptedException {
        Reply reply = handler.reply(name -> request.query().first(name).orElse(null));
        if (reply.millis > 0) {
            Thread.sleep(reply.millis);
        }
        response.status(reply.status).header(HeaderNames.CONTENT_TYPE, reply.type).send(reply.body);
    }

    private HelidonLauncher() {}
}
