package com.example.courier;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;

/** The courier's sandbox, which runs beside the application in test environments. It ends when its standard input does. */
final class Sandbox {
    private final Process process;
    private final String port;
    private final KeyStore certificates;

    private Sandbox(Process process, String port, KeyStore certificates) {
        this.process = process;
        this.port = port;
        this.certificates = certificates;
    }

    static Sandbox start() throws Exception {
        Path script = Files.createTempFile("courier", ".py");
        Files.copy(Sandbox.class.getResourceAsStream("/courier.py"), script, StandardCopyOption.REPLACE_EXISTING);
        Process process = new ProcessBuilder("python3", script.toString()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream()));
        String port = out.readLine();
        StringBuilder pem = new StringBuilder();
        for (String line = out.readLine(); line != null && !line.isEmpty(); line = out.readLine()) {
            pem.append(line).append('\n');
        }
        Files.delete(script);
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setCertificateEntry("courier", CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(pem.toString().getBytes(StandardCharsets.US_ASCII))));
        return new Sandbox(process, port, store);
    }

    String address() {
        return "localhost:" + port;
    }

    KeyStore certificates() {
        return certificates;
    }

    void stop() {
        process.destroy();
    }
}
