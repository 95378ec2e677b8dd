package com.example.vouchers;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** A connection with the store. Messages are a length and a body. */
final class StoreConnection {
    private final DataInputStream in;
    private final OutputStream out;

    StoreConnection(int port, boolean noDelay) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setTcpNoDelay(noDelay);
        socket.setSoTimeout(5000);
        in = new DataInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    String look(String code) throws IOException {
        byte[] body = ("LOOK " + code).getBytes(StandardCharsets.UTF_8);
        out.write(ByteBuffer.allocate(4).putInt(body.length).array());
        out.write(body);
        byte[] answer = new byte[in.readInt()];
        in.readFully(answer);
        return new String(answer, StandardCharsets.UTF_8);
    }
}
