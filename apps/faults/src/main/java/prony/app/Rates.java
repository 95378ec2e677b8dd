package prony.app;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Rates that are kept for a second and take a good part of a tenth of a second of CPU to compute. When they end, each request that comes computes them again; with the environment
 * variable RATES_ALONE one does, and the others take the old ones meanwhile.
 */
final class Rates {
    private static final long KEPT_NANOS = 1_000_000_000;
    private static final int STEPS = 60_000_000;
    private static final boolean ALONE = System.getenv("RATES_ALONE") != null;

    private final AtomicBoolean computing = new AtomicBoolean();
    private volatile double rate;
    private volatile long until = System.nanoTime();

    boolean read() {
        if (System.nanoTime() - until < 0) {
            return rate > 0;
        }
        if (!ALONE || rate == 0) {
            renew();
        } else if (computing.compareAndSet(false, true)) {
            renew();
            computing.set(false);
        }
        return rate > 0;
    }

    private void renew() {
        rate = compute();
        until = System.nanoTime() + KEPT_NANOS;
    }

    private static double compute() {
        double sum = 1;
        for (int step = 1; step < STEPS; step++) {
            sum += 1 / Math.sqrt(step);
        }
        return sum;
    }
}
