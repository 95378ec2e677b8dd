package shop.quarkus;

import io.quarkus.runtime.Quarkus;
import io.quarkus.runtime.annotations.QuarkusMain;

/** The shop at the host and the port in its arguments; over TLS if a certificate and its key come after them. */
@QuarkusMain
public final class Main {

    public static void main(String[] words) {
        System.setProperty("quarkus.http.host", words[0]);
        if (words.length > 2) {
            System.setProperty("quarkus.http.ssl-port", words[1]);
            System.setProperty("quarkus.http.insecure-requests", "disabled");
            System.setProperty("quarkus.http.ssl.certificate.files", words[2]);
            System.setProperty("quarkus.http.ssl.certificate.key-files", words[3]);
        } else {
            System.setProperty("quarkus.http.port", words[1]);
        }
        Quarkus.run(words);
    }
}
