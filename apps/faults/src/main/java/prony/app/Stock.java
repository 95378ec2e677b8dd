package prony.app;

import java.util.concurrent.atomic.AtomicInteger;

/** Fails at once in every fourth request and takes three milliseconds for the others, so that failures are quicker than successes. */
final class Stock {
    private static final int ONE_IN = 4;
    private static final long WORK_MILLIS = 3;

    private final AtomicInteger requests = new AtomicInteger();

    boolean check() throws InterruptedException {
        if (requests.incrementAndGet() % ONE_IN == 0) {
            return false;
        }
        Thread.sleep(WORK_MILLIS);
        return true;
    }
}
