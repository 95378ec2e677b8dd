package prony.app;

import java.util.concurrent.Semaphore;

/**
 * Asks for a quotation by one of four connections to another service, each of which is busy for ten milliseconds then. So there are at
 * most 400 requests a second, on every server. The time is slept: nothing is sent.
 */
final class Quotation {
    private static final int CONNECTIONS = 4;
    private static final long BUSY_MILLIS = 10;

    private final Semaphore connections = new Semaphore(CONNECTIONS, true);

    boolean ask() throws InterruptedException {
        connections.acquire();
        try {
            Thread.sleep(BUSY_MILLIS);
            return true;
        } finally {
            connections.release();
        }
    }
}
