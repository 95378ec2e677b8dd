package prony.app;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/** A partner over HTTPS, whose address is in the environment variable SECURE_ADDRESS (HOST:PORT). Its certificate is made at its start. */
final class SecurePartner {
    private static final URI ADDRESS = URI.create("https://" + System.getenv("SECURE_ADDRESS") + "/price");

    private SecurePartner() {}

    /** Asks for a price in the way that this names; otherwise by a client that is kept, with its connections. */
    static String ask(String way) throws IOException, InterruptedException, GeneralSecurityException {
        switch (way == null ? "kept" : way) {
            case "client-per-call": return byClient(client());
            case "context-per-call": return byNewContext();
            default: return byClient(Kept.CLIENT);
        }
    }

    private static final class Kept {
        static final HttpClient CLIENT = client();
    }

    private static HttpClient client() {
        try {
            return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).sslContext(context()).build();
        } catch (GeneralSecurityException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private static String byClient(HttpClient client) throws IOException, InterruptedException {
        return priced(client.send(HttpRequest.newBuilder(ADDRESS).build(), BodyHandlers.ofByteArray()).body());
    }

    /** Asks with settings for TLS that are made for this call, so that neither a connection nor a session is used again. */
    private static String byNewContext() throws IOException, GeneralSecurityException {
        HttpsURLConnection connection = (HttpsURLConnection) new URL(ADDRESS.toString()).openConnection();
        connection.setSSLSocketFactory(context().getSocketFactory());
        try (InputStream body = connection.getInputStream()) {
            return priced(body.readAllBytes());
        }
    }

    private static String priced(byte[] body) {
        return body.length > 0 ? "priced" : "nothing";
    }

    private static SSLContext context() throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new AnyCertificate()}, null);
        return context;
    }

    /** Trusts the certificate that the partner of an experiment makes at its start. */
    private static final class AnyCertificate extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String how, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String how, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String how, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String how, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String how) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String how) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
