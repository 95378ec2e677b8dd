package prony.launcher;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.glassfish.grizzly.Grizzly;
import org.glassfish.grizzly.http.server.CLStaticHttpHandler;
import org.glassfish.grizzly.http.server.HttpHandler;
import org.glassfish.grizzly.http.server.HttpServer;
import org.glassfish.grizzly.http.server.NetworkListener;
import org.glassfish.grizzly.http.server.Request;
import org.glassfish.grizzly.http.server.Response;
import org.glassfish.grizzly.ssl.SSLContextConfigurator;
import org.glassfish.grizzly.ssl.SSLEngineConfigurator;
import org.glassfish.grizzly.threadpool.ThreadPoolConfig;
import prony.app.Handler;
import prony.app.Reply;
import prony.app.Routes;

/** Runs the application in Grizzly. Arguments are NAME=VALUE; settings without an argument keep Grizzly's defaults. */
public final class GrizzlyLauncher {
    /** A route. A worker thread serves it, and may wait. */
    private static final class Route extends HttpHandler {
        private final Handler handler;

        Route(Handler handler) {
            this.handler = handler;
        }

        @Override
        public void service(Request request, Response response) throws Exception {
            Reply reply = handler.reply(request::getParameter);
            if (reply.millis > 0) {
                Thread.sleep(reply.millis);
            }
            response.setStatus(reply.status);
            response.setContentType(reply.type);
            response.setContentLength(reply.body.length);
            response.getOutputStream().write(reply.body);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, String> settings = new HashMap<>();
        for (String argument : arguments) {
            String[] setting = argument.split("=", 2);
            settings.put(setting[0], setting[1]);
        }
        NetworkListener listener = new NetworkListener("prony",
                settings.getOrDefault("host", "127.0.0.1"), Integer.parseInt(settings.get("port")));
        configure(listener, settings);
        HttpServer server = new HttpServer();
        server.addListener(listener);
        Routes.all().forEach((path, handler) -> server.getServerConfiguration().addHttpHandler(new Route(handler), path));
        ClassLoader loader = GrizzlyLauncher.class.getClassLoader();
        server.getServerConfiguration().addHttpHandler(new CLStaticHttpHandler(loader, "META-INF/resources/"), "/");
        Runtime.getRuntime().addShutdownHook(new Thread(server::shutdownNow));
        server.start();
        System.err.println("prony: runs Grizzly " + Grizzly.getDotedVersion());
        System.err.println("prony: listens for " + (listener.isSecure() ? "https" : "http"));
        System.err.println("prony: everything is deployed");
        Thread.sleep(TimeUnit.DAYS.toMillis(Short.MAX_VALUE)); // Grizzly's own threads are daemons.
    }

    private static void configure(NetworkListener listener, Map<String, String> settings) {
        SSLContextConfigurator store = new SSLContextConfigurator(false);
        settings.forEach((name, value) -> {
            switch (name) {
                case "threads":
                    int count = Integer.parseInt(value);
                    listener.getTransport().setWorkerThreadPoolConfig(
                            ThreadPoolConfig.defaultConfig().setCorePoolSize(count).setMaxPoolSize(count));
                    break;
                case "backlog":
                    listener.getTransport().setServerConnectionBackLog(Integer.parseInt(value));
                    break;
                case "key-store":
                    store.setKeyStoreFile(value);
                    listener.setSecure(true);
                    break;
                case "key-store-type":
                    store.setKeyStoreType(value);
                    break;
                case "key-store-password":
                    store.setKeyStorePass(value);
                    store.setKeyPass(value);
                    break;
                case "host":
                case "port":
                    break;
                default:
                    throw new IllegalArgumentException("no such setting: " + name);
            }
        });
        if (listener.isSecure()) {
            listener.setSSLEngineConfig(new SSLEngineConfigurator(store.createSSLContext(true), false, false, false));
        }
    }

    private GrizzlyLauncher() {}
}
