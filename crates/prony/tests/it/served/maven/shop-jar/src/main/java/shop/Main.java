package shop;

import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;

/** A server that takes DELAY milliseconds for each answer, on the port in PORT. */
final class Main {
    public static void main(String[] words) throws Exception {
        int port = Integer.parseInt(System.getenv("PORT"));
        int delay = Integer.parseInt(System.getenv("DELAY"));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 100);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", exchange -> {
            try {
                Thread.sleep(delay);
            } catch (InterruptedException ended) {
                return;
            }
            exchange.sendResponseHeaders(200, 4);
            exchange.getResponseBody().write("shop".getBytes());
            exchange.close();
        });
        server.start();
    }
}
