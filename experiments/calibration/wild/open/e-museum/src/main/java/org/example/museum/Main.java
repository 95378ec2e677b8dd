package org.example.museum;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerConfig;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.eclipse.jetty.server.Server;

/** The site of a museum. */
public final class Main {
    private Main() {}

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        long slowCall = Long.parseLong(System.getenv().getOrDefault("SLOW_CALL_MILLIS", "200"));
        CircuitBreaker breaker = CircuitBreaker.of("ticket-office", CircuitBreakerConfig.custom()
                .slowCallDurationThreshold(Duration.ofMillis(slowCall))
                .slowCallRateThreshold(80)
                .waitDurationInOpenState(Duration.ofMinutes(5))
                .build());
        Server server = new Server(new InetSocketAddress("127.0.0.1", port));
        server.setHandler(new VisitsHandler(new TicketOffice(), breaker));
        server.setStopAtShutdown(true);
        server.start();
        server.join();
    }
}
