package com.example.warehouse;

/** The driver of the scales. It polls the bus until the weight is stable, which takes about 9 ms. */
final class Scales {
    private static final long POLL_MILLIS = 3;
    private static final int STABLE_AFTER = 3;

    int read(int table) throws InterruptedException {
        for (int stable = 0; stable < STABLE_AFTER; stable++) {
            Thread.sleep(POLL_MILLIS);
        }
        return 1200 + table * 35;
    }
}
