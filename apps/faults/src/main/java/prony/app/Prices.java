package prony.app;

import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Reads a price under a read lock. A task replaces all prices every second, and holds the write lock for 600 ms meanwhile, or with the
 * environment variable PRICES_PREPARED only for the moment in which it puts them in place.
 */
final class Prices {
    private static final long LOAD_MILLIS = 600;
    private static final long PAUSE_MILLIS = 400;
    private static final boolean PREPARED = System.getenv("PRICES_PREPARED") != null;

    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private long price = 1;
    private boolean refreshed;

    boolean read() throws InterruptedException {
        refreshed();
        Thread.sleep(1);
        lock.readLock().lock();
        try {
            return price > 0;
        } finally {
            lock.readLock().unlock();
        }
    }

    /** Starts the task with the first request, so that other endpoints do not have it. */
    private synchronized void refreshed() {
        if (!refreshed) {
            refreshed = true;
            Thread task = new Thread(this::refresh, "price-refresh-1");
            task.setDaemon(true);
            task.start();
        }
    }

    private void refresh() {
        try {
            while (true) {
                Thread.sleep(PAUSE_MILLIS);
                replace();
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }

    private void replace() throws InterruptedException {
        if (PREPARED) {
            Thread.sleep(LOAD_MILLIS);
        }
        lock.writeLock().lock();
        try {
            if (!PREPARED) {
                Thread.sleep(LOAD_MILLIS);
            }
            price++;
        } finally {
            lock.writeLock().unlock();
        }
    }
}
