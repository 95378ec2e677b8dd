package shop.basket;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URL;

/** Asks the stock service how many pieces of an article are left. */
final class StockService {
    private final String address;

    StockService(String address) {
        this.address = address;
    }

    String left(String article) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) new URL("http://" + address + "/left/" + article).openConnection();
        connection.setConnectTimeout(2000);
        connection.setReadTimeout(5000);
        try (InputStream in = connection.getInputStream()) {
            return new String(in.readAllBytes());
        }
    }
}
