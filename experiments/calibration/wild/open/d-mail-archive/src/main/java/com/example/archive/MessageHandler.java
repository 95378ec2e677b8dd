package com.example.archive;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/** Answers with the sizes and checksums of a message's parts, once the virus scanner has passed them. */
final class MessageHandler implements HttpHandler {
    private final Archive archive;
    private final Scanner scanner;

    MessageHandler(Archive archive, Scanner scanner) {
        this.archive = archive;
        this.scanner = scanner;
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        try {
            byte[] answer = describe(Integer.parseInt(path.substring(path.lastIndexOf('/') + 1)));
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
        } catch (IOException | InterruptedException e) {
            exchange.sendResponseHeaders(503, -1);
        } finally {
            exchange.close();
        }
    }

    private byte[] describe(int message) throws IOException, InterruptedException {
        return archive.read(message, parts -> {
            boolean clean = scanner.clean(parts.get(0));
            StringBuilder json = new StringBuilder("{\"message\":").append(message).append(",\"clean\":").append(clean).append(",\"parts\":[");
            for (int i = 0; i < parts.size(); i++) {
                ByteBuffer content = ByteBuffer.allocate((int) parts.get(i).size());
                while (content.hasRemaining() && parts.get(i).read(content) >= 0) {
                    // until the part is read
                }
                CRC32 crc = new CRC32();
                crc.update(content.flip());
                json.append(i == 0 ? "" : ",").append("{\"size\":").append(content.limit()).append(",\"crc\":").append(crc.getValue()).append('}');
            }
            return json.append("]}").toString().getBytes("UTF-8");
        });
    }
}
