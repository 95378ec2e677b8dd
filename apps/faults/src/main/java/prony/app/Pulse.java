package prony.app;

/**
 * Works for a millisecond. Every two seconds a task closes the service for 500 ms, and all requests wait until it is open again, by looking at
 * the clock: no lock shows who stops them. With the environment variable PULSE_OPEN it stays open.
 */
final class Pulse {
    private static final long PERIOD_MILLIS = 2000;
    private static final long CLOSED_NANOS = 500_000_000;
    private static final long WORK_MILLIS = 1;
    private static final long LOOK_MILLIS = 5;
    private static final boolean OPEN = System.getenv("PULSE_OPEN") != null;

    private volatile long opens = System.nanoTime();
    private boolean started;

    boolean answer() throws InterruptedException {
        started();
        Thread.sleep(WORK_MILLIS);
        while (opens - System.nanoTime() > 0) {
            Thread.sleep(LOOK_MILLIS);
        }
        return true;
    }

    /** Starts the task with the first request, so that other endpoints do not have it. */
    private synchronized void started() {
        if (!started && !OPEN) {
            started = true;
            Thread task = new Thread(this::closeAgain, "pulse-1");
            task.setDaemon(true);
            task.start();
        }
    }

    private void closeAgain() {
        try {
            while (true) {
                Thread.sleep(PERIOD_MILLIS);
                opens = System.nanoTime() + CLOSED_NANOS;
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }
}
