package town.permits;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.ObjectPool;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericObjectPool;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

/** Tells whether a car may park here. */
public final class PermitServer {
    private static final int THREADS = 64;

    private final ObjectPool<RegisterSession> sessions;

    private PermitServer(ObjectPool<RegisterSession> sessions) {
        this.sessions = sessions;
    }

    public static void main(String[] args) throws IOException {
        // The head and the body of an answer are two writes.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        int register = startRegister();
        GenericObjectPoolConfig<RegisterSession> config = new GenericObjectPoolConfig<>();
        String size = System.getenv("REGISTER_SESSIONS");
        if (size != null) {
            config.setMaxTotal(Integer.parseInt(size));
            config.setMaxIdle(Integer.parseInt(size));
        }
        PermitServer permits = new PermitServer(new GenericObjectPool<>(new Sessions(register), config));
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 256);
        server.setExecutor(Executors.newFixedThreadPool(THREADS));
        server.createContext("/permit", permits::answer);
        server.start();
    }

    private void answer(HttpExchange exchange) throws IOException {
        String plate = exchange.getRequestURI().getQuery().substring("plate=".length());
        String found;
        int status = 200;
        try {
            RegisterSession session = sessions.borrowObject();
            try {
                found = session.ask(plate);
            } finally {
                sessions.returnObject(session);
            }
        } catch (Exception e) {
            found = "the register does not answer";
            status = 502;
        }
        byte[] body = found.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "text/plain");
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private static int startRegister() throws IOException {
        try (InputStream in = PermitServer.class.getResourceAsStream("/register.py")) {
            Process process = new ProcessBuilder("python3", "-c", new String(in.readAllBytes(), StandardCharsets.UTF_8))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            return Integer.parseInt(new BufferedReader(new InputStreamReader(process.getInputStream())).readLine());
        }
    }

    private static final class Sessions extends BasePooledObjectFactory<RegisterSession> {
        private final int port;

        Sessions(int port) {
            this.port = port;
        }

        @Override
        public RegisterSession create() throws IOException {
            return new RegisterSession(port);
        }

        @Override
        public PooledObject<RegisterSession> wrap(RegisterSession session) {
            return new DefaultPooledObject<>(session);
        }

        @Override
        public boolean validateObject(PooledObject<RegisterSession> session) {
            return session.getObject().isOpen();
        }

        @Override
        public void destroyObject(PooledObject<RegisterSession> session) throws IOException {
            session.getObject().close();
        }
    }
}
