package travel.search;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.MediaType;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;

/** Hotels of a town, as the booking system tells them. */
@RestController
public class SearchController {
    private final WebClient booking;

    public SearchController(@Value("${BOOKING_ADDRESS}") String address, @Value("${booking.connections}") int connections) {
        ConnectionProvider provider = ConnectionProvider.create("booking", connections);
        booking = WebClient.builder()
                .baseUrl("http://" + address)
                .clientConnector(new ReactorClientHttpConnector(HttpClient.create(provider)))
                .build();
    }

    @GetMapping(path = "/hotels", produces = MediaType.APPLICATION_JSON_VALUE)
    public Mono<String> hotels(@RequestParam String town) {
        return booking.get().uri("/rooms/{town}", town).retrieve().bodyToMono(String.class)
                .map(rooms -> "{\"town\":\"" + town + "\",\"hotels\":" + rooms + "}");
    }
}
