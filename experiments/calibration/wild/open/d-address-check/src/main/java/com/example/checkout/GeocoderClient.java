package com.example.checkout;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import okhttp3.ConnectionPool;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/** The client library that the geocoding provider ships, cut down to the one call that the checkout makes. */
@Component
class GeocoderClient {
    private final OkHttpClient http = new OkHttpClient.Builder()
            .connectionPool(new ConnectionPool(64, 5, TimeUnit.MINUTES))
            .readTimeout(5, TimeUnit.SECONDS)
            .build();
    private final ObjectMapper json;
    private final HttpUrl base;

    GeocoderClient(ObjectMapper json, @Value("${GEOCODER_ADDRESS:127.0.0.1:9100}") String address) {
        this.json = json;
        this.base = HttpUrl.get("http://" + address + "/v2/geocode");
    }

    Location locate(String street, String town) throws IOException {
        HttpUrl url = base.newBuilder().addQueryParameter("street", street).addQueryParameter("town", town).build();
        try (Response response = http.newCall(new Request.Builder().url(url).build()).execute()) {
            return json.readValue(response.body().byteStream(), Location.class);
        }
    }
}
