package prony.app;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Records an event of 32 KiB for a thread that stores one in 5 ms, in a queue without a bound: requests come faster, so that the events fill the
 * heap. With the environment variable EVENTS_BOUNDED the queue has room for 64, and what finds none is left out.
 */
final class Events {
    private static final int SIZE = 32 << 10;
    private static final long STORE_MILLIS = 5;
    private static final int BOUND = System.getenv("EVENTS_BOUNDED") == null ? Integer.MAX_VALUE : 64;

    private final BlockingQueue<byte[]> queue = new LinkedBlockingQueue<>(BOUND);

    Events() {
        Thread thread = new Thread(this::store, "event-store");
        thread.setDaemon(true);
        thread.start();
    }

    private void store() {
        try {
            while (queue.take().length == SIZE) {
                Thread.sleep(STORE_MILLIS);
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    boolean record() {
        queue.offer(new byte[SIZE]);
        return true;
    }
}
