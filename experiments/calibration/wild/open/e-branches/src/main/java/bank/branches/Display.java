package bank.branches;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** The displays in the halls, and a simulator of them that acknowledges after 7 ms. */
final class Display implements AutoCloseable {
    private static final int ACKNOWLEDGE_MILLIS = 7;

    private final DatagramSocket simulator;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "display-clock");
        thread.setDaemon(true);
        return thread;
    });

    Display() throws IOException {
        simulator = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        Thread thread = new Thread(this::simulate, "display-simulator");
        thread.setDaemon(true);
        thread.start();
    }

    /** Shows a text, and returns when the display has said that it does. */
    void show(String text) {
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            socket.setSoTimeout(2000);
            byte[] data = text.getBytes(StandardCharsets.UTF_8);
            socket.send(new DatagramPacket(data, data.length, simulator.getLocalSocketAddress()));
            socket.receive(new DatagramPacket(new byte[16], 16));
        } catch (IOException e) {
            throw new IllegalStateException("the display does not answer", e);
        }
    }

    private void simulate() {
        byte[] buffer = new byte[512];
        while (!simulator.isClosed()) {
            try {
                DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
                simulator.receive(packet);
                DatagramPacket answer = new DatagramPacket(new byte[] {6}, 1, packet.getSocketAddress());
                clock.schedule(() -> acknowledge(answer), ACKNOWLEDGE_MILLIS, TimeUnit.MILLISECONDS);
            } catch (IOException e) {
                return;
            }
        }
    }

    private void acknowledge(DatagramPacket answer) {
        try {
            simulator.send(answer);
        } catch (IOException e) {
            // It has been closed.
        }
    }

    @Override
    public void close() {
        simulator.close();
        clock.shutdownNow();
    }
}
