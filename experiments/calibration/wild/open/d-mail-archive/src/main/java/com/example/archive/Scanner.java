package com.example.archive;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;

/** The virus scanner, a process beside the archive. */
final class Scanner {
    private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI address;

    private Scanner(URI address) {
        this.address = address;
    }

    /** Starts the scanner. It prints its port and ends when its standard input does. */
    static Scanner start() throws IOException {
        Path script = Files.createTempFile("scanner", ".py");
        Files.copy(Scanner.class.getResourceAsStream("/scanner.py"), script, StandardCopyOption.REPLACE_EXISTING);
        Process process = new ProcessBuilder("python3", script.toString()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        String port = new BufferedReader(new InputStreamReader(process.getInputStream())).readLine();
        Files.delete(script);
        return new Scanner(URI.create("http://127.0.0.1:" + port + "/scan"));
    }

    boolean clean(FileChannel part) throws IOException, InterruptedException {
        ByteBuffer head = ByteBuffer.allocate(1024);
        part.read(head, 0);
        HttpRequest request = HttpRequest.newBuilder(address)
                .timeout(Duration.ofSeconds(5))
                .POST(HttpRequest.BodyPublishers.ofByteArray(head.array()))
                .build();
        return client.send(request, BodyHandlers.ofString()).body().equals("OK");
    }
}
