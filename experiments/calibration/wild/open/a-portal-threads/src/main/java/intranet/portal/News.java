package intranet.portal;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** The oldest of the sources; its client is that of the JDK. */
final class News {
    private final URI address;

    News(URI address) {
        this.address = address;
    }

    String latest() throws IOException {
        HttpURLConnection connection = (HttpURLConnection) address.resolve("/news/latest").toURL().openConnection();
        connection.setReadTimeout(5000);
        try (InputStream in = connection.getInputStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
