package com.example.parcels;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** One connection: it reads requests until the other side has no more, or does not want to keep it. */
final class Conversation implements Runnable {
    private static final int IDLE_MILLIS = 5000;

    private final Socket socket;

    Conversation(Socket socket) {
        this.socket = socket;
    }

    @Override
    public void run() {
        try (socket) {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(IDLE_MILLIS);
            BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            boolean open = true;
            while (open) {
                String request = in.readLine();
                if (request == null) {
                    return;
                }
                boolean close = false;
                for (String header = in.readLine(); header != null && !header.isEmpty(); header = in.readLine()) {
                    close |= header.equalsIgnoreCase("connection: close");
                }
                String body = "{\"parcel\":" + request.replaceAll("\\D.*?(\\d+).*", "$1") + ",\"state\":\"in the van\"}";
                socket.getOutputStream().write(("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + body.length()
                        + (close ? "\r\nConnection: close" : "") + "\r\n\r\n" + body).getBytes(StandardCharsets.US_ASCII));
                open = !close;
            }
        } catch (IOException e) {
            // The driver has lost the network.
        }
    }
}
