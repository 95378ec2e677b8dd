package prony.launcher;

import io.vertx.core.AbstractVerticle;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.StaticHandler;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import prony.app.Handler;
import prony.app.Reply;
import prony.app.Routes;

/**
 * Runs the application as a verticle with a router of vertx-web. Arguments are NAME=VALUE: `instances` is the number of instances
 * of the verticle, each of which has an event loop to itself, and any other name is a field of HttpServerOptions. Without an
 * argument Vert.x's default applies, which is one instance.
 */
public final class VertxLauncher {
    /** The application; each instance listens on the same port. */
    private static final class Application extends AbstractVerticle {
        private final HttpServerOptions options;

        Application(HttpServerOptions options) {
            this.options = options;
        }

        @Override
        public void start(Promise<Void> started) {
            Router router = Router.router(vertx);
            Routes.all().forEach((path, handler) -> router.get(path).handler(context -> answer(context, handler)));
            router.route().handler(StaticHandler.create("META-INF/resources"));
            vertx.createHttpServer(options).requestHandler(router).listen().onComplete(listening -> {
                if (listening.succeeded()) {
                    started.complete();
                } else {
                    started.fail(listening.cause());
                }
            });
        }

        private void answer(RoutingContext context, Handler handler) {
            Reply reply = handler.reply(context.queryParams()::get);
            if (reply.millis > 0) {
                vertx.setTimer(reply.millis, over -> send(context, reply));
            } else {
                send(context, reply);
            }
        }

        private static void send(RoutingContext context, Reply reply) {
            context.response().setStatusCode(reply.status).putHeader("Content-Type", reply.type)
                    .end(Buffer.buffer(reply.body));
        }
    }

    public static void main(String[] arguments) throws IOException {
        Map<String, String> settings = new HashMap<>();
        for (String argument : arguments) {
            String[] setting = argument.split("=", 2);
            settings.put(setting[0], setting[1]);
        }
        String asked = settings.remove("instances");
        int instances = asked == null ? DeploymentOptions.DEFAULT_INSTANCES : Integer.parseInt(asked);
        HttpServerOptions options = options(settings);
        int loops = Math.max(instances, VertxOptions.DEFAULT_EVENT_LOOP_POOL_SIZE);
        Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(loops));
        DeploymentOptions deployment = new DeploymentOptions().setInstances(instances);
        vertx.deployVerticle(() -> new Application(options), deployment).onComplete(deployed -> {
            if (deployed.failed()) {
                deployed.cause().printStackTrace();
                System.exit(1);
            }
            System.err.println("prony: listens for " + (options.isSsl() ? "https" : "http"));
            System.err.println("prony: everything is deployed");
        });
        System.err.println("prony: runs Vert.x " + version() + " with " + instances + " instances of the verticle");
    }

    private static HttpServerOptions options(Map<String, String> settings) {
        boolean http2 = Boolean.parseBoolean(settings.remove("http2"));
        String streams = settings.remove("max-streams");
        JsonObject fields = new JsonObject().put("host", "127.0.0.1");
        PemKeyCertOptions pem = new PemKeyCertOptions();
        settings.forEach((name, value) -> {
            switch (name) {
                case "certificate":
                    pem.addCertPath(value);
                    break;
                case "key":
                    pem.addKeyPath(value);
                    break;
                default:
                    fields.put(name, typed(value));
            }
        });
        HttpServerOptions options = new HttpServerOptions(fields);
        JsonObject known = options.toJson();
        for (String name : fields.fieldNames()) {
            if (!known.containsKey(name)) { // Vert.x itself ignores it.
                throw new IllegalArgumentException("no such setting: " + name);
            }
        }
        if (!pem.getKeyPaths().isEmpty()) {
            options.setSsl(true).setKeyCertOptions(pem);
        }
        if (http2 && options.isSsl()) { // Over clear text, Vert.x takes it by default.
            options.setUseAlpn(true);
        }
        if (streams != null) {
            options.getInitialSettings().setMaxConcurrentStreams(Long.parseLong(streams));
        }
        return options;
    }

    /** A JSON value: a truth, a number or a text. */
    private static Object typed(String value) {
        if ("true".equals(value) || "false".equals(value)) {
            return Boolean.valueOf(value);
        }
        try {
            return Integer.valueOf(value);
        } catch (NumberFormatException text) {
            return value;
        }
    }

    /** The version as the jar of vertx-core tells it. */
    private static String version() throws IOException {
        try (InputStream file = Vertx.class.getResourceAsStream("/META-INF/vertx/vertx-version.txt");
                BufferedReader lines = new BufferedReader(new InputStreamReader(file, StandardCharsets.UTF_8))) {
            return lines.readLine();
        }
    }

    private VertxLauncher() {}
}
