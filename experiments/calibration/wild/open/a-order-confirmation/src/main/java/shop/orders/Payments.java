package shop.orders;

import java.net.http.HttpClient;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

/** The client of the payment provider. */
@Component
public class Payments {
    private final RestClient client;

    public Payments(@Value("${PAYMENTS_ADDRESS}") String address) {
        HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(2)).build();
        JdkClientHttpRequestFactory factory = new JdkClientHttpRequestFactory(http);
        factory.setReadTimeout(Duration.ofSeconds(5));
        client = RestClient.builder().baseUrl("http://" + address).requestFactory(factory).build();
    }

    /** Charges the customer and returns the provider's answer. */
    public String charge(int order, long cents) {
        return client.get().uri("/charges?order={order}&cents={cents}", order, cents).retrieve().body(String.class);
    }
}
