package insurance.quotes;

import java.io.IOException;
import java.net.URI;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.io.entity.EntityUtils;

/** The client of the rating service. One client is shared, so that its connections are kept. */
final class Ratings implements AutoCloseable {
    private final URI address;
    private final CloseableHttpClient client;

    Ratings(URI address, int connections) {
        this.address = address;
        PoolingHttpClientConnectionManagerBuilder manager = PoolingHttpClientConnectionManagerBuilder.create();
        if (connections > 0) {
            manager.setMaxConnPerRoute(connections).setMaxConnTotal(connections);
        }
        client = HttpClients.custom().setConnectionManager(manager.build()).build();
    }

    String rating(String customer) throws IOException {
        return client.execute(new HttpGet(address.resolve("/ratings/" + customer)), response -> EntityUtils.toString(response.getEntity()));
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
