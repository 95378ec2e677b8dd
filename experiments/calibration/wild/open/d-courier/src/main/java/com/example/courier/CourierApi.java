package com.example.courier;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.SSLContext;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.ssl.DefaultClientTlsStrategy;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.ssl.SSLContexts;

/** The courier's API, over https with the certificate that the courier gave us. */
final class CourierApi {
    private final String address;
    private final KeyStore trusted;
    private final CloseableHttpClient shared;

    CourierApi(String address, KeyStore trusted, boolean keepClient) throws GeneralSecurityException {
        this.address = address;
        this.trusted = trusted;
        this.shared = keepClient ? client() : null;
    }

    String slots(String postcode) throws IOException {
        HttpGet get = new HttpGet("https://" + address + "/slots/" + postcode);
        if (shared != null) {
            return shared.execute(get, response -> EntityUtils.toString(response.getEntity()));
        }
        try (CloseableHttpClient client = client()) {
            return client.execute(get, response -> EntityUtils.toString(response.getEntity()));
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    private CloseableHttpClient client() throws GeneralSecurityException {
        SSLContext tls = SSLContexts.custom().loadTrustMaterial(trusted, null).build();
        return HttpClients.custom()
                .setConnectionManager(PoolingHttpClientConnectionManagerBuilder.create()
                        .setTlsSocketStrategy(new DefaultClientTlsStrategy(tls))
                        .setMaxConnPerRoute(64)
                        .setMaxConnTotal(64)
                        .build())
                .build();
    }
}
