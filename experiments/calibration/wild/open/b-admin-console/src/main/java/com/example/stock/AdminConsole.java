package com.example.stock;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The console of the administrators: a port on which one of them at a time can give commands. The probe of the monitoring
 * connects to it to see whether it is open.
 */
final class AdminConsole {
    private static final int PROBES_KEPT = 3;

    private AdminConsole() {}

    static void open() throws IOException {
        ServerSocket console = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Thread commands = new Thread(() -> serve(console), "console");
        commands.setDaemon(true);
        commands.start();
        Thread probe = new Thread(() -> probe(console.getLocalPort()), "console-probe");
        probe.setDaemon(true);
        probe.start();
    }

    /** Serves one administrator after the other; the first has never logged out. */
    private static void serve(ServerSocket console) {
        while (true) {
            try (Socket administrator = console.accept()) {
                while (administrator.getInputStream().read() >= 0) {
                    // There are no commands yet.
                }
            } catch (IOException gone) {
                // Here comes the next one.
            }
        }
    }

    private static void probe(int port) {
        Deque<Socket> open = new ArrayDeque<>();
        while (true) {
            try {
                Socket socket = new Socket();
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 100);
                open.addLast(socket);
                if (open.size() > PROBES_KEPT) {
                    open.removeLast().close();
                }
                Thread.sleep(100);
            } catch (IOException full) {
                // The console is in use, and that is fine.
            } catch (InterruptedException stopping) {
                return;
            }
        }
    }
}
