package prony.app;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscribers;
import java.util.Hashtable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.naming.Context;
import javax.naming.NamingException;
import javax.naming.directory.Attributes;
import javax.naming.directory.InitialDirContext;

/**
 * A service with prices, whose address is in the environment variable PARTNER_ADDRESS (HOST:PORT). At the same port a server for names
 * listens, by UDP.
 */
final class Partner {
    private static final String ADDRESS = System.getenv("PARTNER_ADDRESS");
    private static final int PRICES = 40;
    private static final long PARSING_MILLIS = 2;

    private Partner() {}

    /** A client that reads all answers in one thread of its own, for 2 ms each. */
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).executor(Executors.newSingleThreadExecutor()).build();

    /** A client with threads of its own. */
    private static final HttpClient ROOMS = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final int OK = 200;

    /** Returns the number of prices, which are asked for one after another. */
    static int priceByPrice() throws IOException {
        int prices = 0;
        for (int article = 1; article <= PRICES; article++) {
            prices += get(ADDRESS, "/price?article=" + article);
        }
        return prices;
    }

    /** Asks for a price, and for the address of the partner before. */
    static String askByName() throws IOException, NamingException {
        Hashtable<String, String> settings = new Hashtable<>();
        settings.put(Context.INITIAL_CONTEXT_FACTORY, "com.sun.jndi.dns.DnsContextFactory");
        settings.put(Context.PROVIDER_URL, "dns://" + ADDRESS);
        InitialDirContext names = new InitialDirContext(settings);
        Attributes found = names.getAttributes("partner.test", new String[] {"A"});
        String host = (String) found.get("A").get();
        names.close();
        return get(host + ADDRESS.substring(ADDRESS.lastIndexOf(':')), "/price?article=1") == 1 ? "asked" : "nothing";
    }

    /** Asks for a price by that client. */
    static String quote() throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + ADDRESS + "/price?article=1")).build();
        return CLIENT.send(request, answer -> BodySubscribers.mapping(BodySubscribers.ofByteArray(), Partner::parse)).body();
    }

    /** Asks for a room until there is one, at once again; with the environment variable ROOM_PRICE for its price, which is never refused. */
    static String room() throws IOException, InterruptedException {
        String path = System.getenv("ROOM_PRICE") == null ? "/room" : "/price?room=1";
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://" + ADDRESS + path)).build();
        while (ROOMS.send(request, HttpResponse.BodyHandlers.ofByteArray()).statusCode() != OK) {
            Thread.onSpinWait();
        }
        return "free";
    }

    private static String parse(byte[] body) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PARSING_MILLIS));
        return body.length > 0 ? "quoted" : "nothing";
    }

    /** Returns the number of lines of an answer. */
    private static int get(String address, String path) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) new URL("http://" + address + path).openConnection();
        int lines = 0;
        try (InputStream body = connection.getInputStream()) {
            for (int next = body.read(); next >= 0; next = body.read()) {
                lines += next == '\n' ? 1 : 0;
            }
        }
        return lines;
    }
}
