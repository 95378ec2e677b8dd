package com.example.archive;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import java.util.zip.CRC32;

/** GET /archive/YEAR says how large the packed year is, and its checksum, so that branches know whether they must fetch it. */
public final class ArchiveServer {
    private ArchiveServer() {}

    public static void main(String[] arguments) throws IOException {
        int port = Integer.parseInt(arguments[0]);
        Packer packer = new Packer(Boolean.getBoolean("archive.keep"));
        // Otherwise a body waits until the headers before it are acknowledged, up to 40 ms.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        HttpServer server = HttpServer.create(new InetSocketAddress(port), 512);
        server.setExecutor(Executors.newFixedThreadPool(64));
        server.createContext("/health", exchange -> answer(exchange, 200, "ok"));
        server.createContext("/archive/", exchange -> {
            try {
                byte[] packed = packer.packed(exchange.getRequestURI().getPath().substring("/archive/".length()));
                CRC32 crc = new CRC32();
                crc.update(packed);
                answer(exchange, 200, "{\"bytes\":" + packed.length + ",\"crc\":\"" + Long.toHexString(crc.getValue()) + "\"}");
            } catch (IOException problem) {
                answer(exchange, 500, problem.toString());
            }
        });
        server.start();
    }

    private static void answer(HttpExchange exchange, int status, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }
}
