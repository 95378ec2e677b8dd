package offers;

import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;

/** Offers for customers, over the HTTP server of the JDK. */
public final class Main {
    private Main() {}

    public static void main(String[] args) throws Exception {
        // Without it, an answer in two segments waits for the client's acknowledgement.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        int callbacks = Integer.getInteger("offers.callbacks", Runtime.getRuntime().availableProcessors());
        Offers offers = new Offers(System.getenv("CUSTOMERS_ADDRESS"), System.getenv("DISCOUNTS_ADDRESS"), callbacks);
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 512);
        server.createContext("/offer", new OfferHandler(offers));
        server.setExecutor(Executors.newCachedThreadPool());
        server.start();
    }
}
