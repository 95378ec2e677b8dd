package prony.app;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Draws the next number under one lock, which is held for two milliseconds. So there are at most 500 requests a second, on every
 * server. With the environment variable TICKET_LOCK the lock is a ReentrantLock, for which threads park; otherwise it is a monitor.
 */
final class Ticket {
    private static final long HELD_MILLIS = 2;

    private final Lock lock = System.getenv("TICKET_LOCK") == null ? null : new ReentrantLock();
    private long next;

    boolean draw() throws InterruptedException {
        if (lock == null) {
            synchronized (this) {
                return held();
            }
        }
        lock.lock();
        try {
            return held();
        } finally {
            lock.unlock();
        }
    }

    private boolean held() throws InterruptedException {
        Thread.sleep(HELD_MILLIS);
        next++;
        return next > 0;
    }
}
