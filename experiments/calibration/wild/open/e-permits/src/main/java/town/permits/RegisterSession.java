package town.permits;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** One session with the register. A session answers one question at a time. */
final class RegisterSession implements Closeable {
    private final Socket socket;
    private final BufferedReader in;
    private final OutputStream out;

    RegisterSession(int port) throws IOException {
        socket = new Socket("127.0.0.1", port);
        socket.setTcpNoDelay(true);
        in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        out = socket.getOutputStream();
    }

    String ask(String plate) throws IOException {
        out.write((plate + "\n").getBytes(StandardCharsets.US_ASCII));
        String answer = in.readLine();
        if (answer == null) {
            throw new IOException("the register has ended the session");
        }
        return answer;
    }

    boolean isOpen() {
        return !socket.isClosed();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
