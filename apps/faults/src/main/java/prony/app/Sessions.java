package prony.app;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Waits for 20 ms, as for another service, while it holds the monitor of a session that no other request wants. This does not
 * hinder platform threads. But before JDK 24 (JEP 491) a virtual thread keeps its carrier meanwhile, and there is one per CPU.
 */
final class Sessions {
    private static final long WAIT_MILLIS = 20;

    /** More sessions than users, so that two requests hardly ever need the same one. */
    private final Object[] sessions = new Object[1 << 16];
    private final AtomicInteger next = new AtomicInteger();

    Sessions() {
        for (int session = 0; session < sessions.length; session++) {
            sessions[session] = new Object();
        }
    }

    boolean use() throws InterruptedException {
        synchronized (sessions[next.getAndIncrement() & (sessions.length - 1)]) {
            Thread.sleep(WAIT_MILLIS);
        }
        return true;
    }
}
