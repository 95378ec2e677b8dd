package crm.front;

import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.stereotype.Component;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;

/** The client of the CRM. */
@Component
public class CrmClient {
    private final WebClient client;

    public CrmClient(@Value("${CRM_ADDRESS}") String address, @Value("${crm.connections}") int connections) {
        ConnectionProvider provider = ConnectionProvider.builder("crm")
                .maxConnections(connections)
                .pendingAcquireMaxCount(2000)
                .pendingAcquireTimeout(Duration.ofSeconds(10))
                .build();
        HttpClient http = HttpClient.create(provider).responseTimeout(Duration.ofSeconds(5));
        client = WebClient.builder().baseUrl("http://" + address).clientConnector(new ReactorClientHttpConnector(http)).build();
    }

    public Mono<String> customer(String number) {
        return client.get().uri("/customers/{number}", number).retrieve().bodyToMono(String.class);
    }
}
