package intranet.portal;

import java.io.IOException;
import java.net.URI;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.io.entity.EntityUtils;

/** The directory of all employees. */
final class Directory {
    private final URI address;
    private final CloseableHttpClient client = HttpClients.custom()
            .setConnectionManager(PoolingHttpClientConnectionManagerBuilder.create().setMaxConnPerRoute(200).setMaxConnTotal(200).build())
            .build();

    Directory(URI address) {
        this.address = address;
    }

    String entry(String user) throws IOException {
        return client.execute(new HttpGet(address.resolve("/directory/" + user)), response -> EntityUtils.toString(response.getEntity()));
    }
}
