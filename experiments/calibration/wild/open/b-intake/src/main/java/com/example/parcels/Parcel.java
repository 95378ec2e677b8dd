package com.example.parcels;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** The request of a scanner. */
final class Parcel implements Runnable {
    private final Socket scanner;
    private final LabelPrinters printers;

    Parcel(Socket scanner, LabelPrinters printers) {
        this.scanner = scanner;
        this.printers = printers;
    }

    @Override
    public void run() {
        try (scanner) {
            scanner.setSoTimeout(10_000);
            scanner.setTcpNoDelay(true);
            BufferedReader reader = new BufferedReader(new InputStreamReader(scanner.getInputStream(), StandardCharsets.ISO_8859_1));
            String first = reader.readLine();
            if (first == null) {
                return;
            }
            for (String header = reader.readLine(); header != null && !header.isEmpty(); header = reader.readLine()) {
                // Scanners send nothing that matters here.
            }
            String label = printers.print(code(first));
            byte[] body = ("{\"label\":\"" + label + "\"}").getBytes(StandardCharsets.US_ASCII);
            String head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + body.length + "\r\nConnection: close\r\n\r\n";
            OutputStream output = scanner.getOutputStream();
            byte[] answer = new byte[head.length() + body.length];
            System.arraycopy(head.getBytes(StandardCharsets.US_ASCII), 0, answer, 0, head.length());
            System.arraycopy(body, 0, answer, head.length(), body.length);
            output.write(answer);
        } catch (IOException gone) {
            // The scanner will send the parcel again.
        }
    }

    private static String code(String requestLine) {
        int begin = requestLine.indexOf("code=");
        int end = requestLine.indexOf(' ', Math.max(begin, 4));
        return begin < 0 || end < 0 ? "unknown" : requestLine.substring(begin + 5, end);
    }
}
