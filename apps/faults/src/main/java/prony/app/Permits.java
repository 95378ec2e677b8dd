package prony.app;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Works for two milliseconds with one of eight permits. After the first thousand requests, each hundredth keeps its permit, as after an error that
 * nobody thought of, so that the pool is soon dry for good: whoever waits then gives up after eight seconds. With the environment variable
 * PERMITS_RETURNED all permits are given back.
 */
final class Permits {
    private static final int PERMITS = 8;
    private static final int HEALTHY = 1000;
    private static final int ONE_IN = 100;
    private static final long WORK_MILLIS = 2;
    private static final long PATIENCE_SECONDS = 8;
    private static final boolean RETURNED = System.getenv("PERMITS_RETURNED") != null;

    private final Semaphore permits = new Semaphore(PERMITS);
    private final AtomicInteger requests = new AtomicInteger();

    boolean use() throws InterruptedException {
        if (!permits.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            return false;
        }
        int number = requests.incrementAndGet();
        Thread.sleep(WORK_MILLIS);
        if (RETURNED || number < HEALTHY || number % ONE_IN != 0) {
            permits.release();
        }
        return true;
    }
}
