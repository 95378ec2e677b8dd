package prony.app;

/**
 * Lets 200 requests a second through, as applications do it that have written their limiter themselves: each request reserves the next
 * moment under a lock, and sleeps until then. With the environment variable GATE_OPEN it sleeps for 90 ms instead, however many others
 * do.
 */
final class Gate {
    private static final long STEP_NANOS = 5_000_000;
    private static final long MILLI = 1_000_000;
    private static final long OPEN_MILLIS = 90;
    private static final boolean OPEN = System.getenv("GATE_OPEN") != null;

    private long next = System.nanoTime();

    boolean pass() throws InterruptedException {
        if (OPEN) {
            Thread.sleep(OPEN_MILLIS);
            return true;
        }
        long wait = reserve() - System.nanoTime();
        if (wait > 0) {
            Thread.sleep(wait / MILLI, (int) (wait % MILLI));
        }
        return true;
    }

    private synchronized long reserve() {
        next = Math.max(next + STEP_NANOS, System.nanoTime());
        return next;
    }
}
