package prony.app;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Fails at once in every fourth request and takes three milliseconds for the others, so that failures are quicker than successes. With the
 * environment variable STOCK_SOLD_OUT it answers 500 requests rightly, and throws for all others; with STOCK_FULL it answers all.
 */
final class Stock {
    private static final int ONE_IN = 4;
    private static final int SOLD = 500;
    private static final long WORK_MILLIS = 3;
    private static final boolean SOLD_OUT = System.getenv("STOCK_SOLD_OUT") != null;
    private static final boolean FULL = System.getenv("STOCK_FULL") != null;

    private final AtomicInteger requests = new AtomicInteger();

    boolean check() throws InterruptedException {
        int number = requests.incrementAndGet();
        if (SOLD_OUT && number > SOLD) {
            throw new IllegalStateException("nothing is left in stock");
        }
        if (!SOLD_OUT && !FULL && number % ONE_IN == 0) {
            return false;
        }
        Thread.sleep(WORK_MILLIS);
        return true;
    }
}
