package prony.app;

/** Draws the next number under one lock, which is held for two milliseconds: 500 requests a second, whoever serves them. */
final class Ticket {
    private static final long HELD_MILLIS = 2;

    private final Object lock = new Object();
    private long next;

    boolean draw() throws InterruptedException {
        synchronized (lock) {
            Thread.sleep(HELD_MILLIS);
            next++;
            return next > 0;
        }
    }
}
