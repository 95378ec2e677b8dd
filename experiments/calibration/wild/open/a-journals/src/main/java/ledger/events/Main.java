package ledger.events;

import io.undertow.Undertow;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.handlers.BlockingHandler;
import io.undertow.util.Headers;
import java.nio.file.Path;

/** Takes events of ledgers over HTTP. */
public final class Main {
    private Main() {}

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        Path parent = Path.of(System.getenv().getOrDefault("LEDGER_HOME", "/var/tmp/ledgers"));
        boolean durable = !"relaxed".equals(System.getenv("LEDGER_DURABILITY"));
        Journals journals = new Journals(parent, durable);
        HttpHandler handler = new BlockingHandler(exchange -> record(exchange, journals));
        Undertow.builder().addHttpListener(port, "127.0.0.1").setIoThreads(2).setWorkerThreads(64).setHandler(handler).build().start();
    }

    private static void record(HttpServerExchange exchange, Journals journals) throws Exception {
        String number = exchange.getQueryParameters().get("event").getFirst();
        journals.append(Integer.parseInt(number), "{\"event\":" + number + ",\"account\":\"DE-4711\",\"cents\":12900,\"kind\":\"booking\"}");
        exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, "application/json");
        exchange.getResponseSender().send("{\"recorded\":true}");
    }
}
