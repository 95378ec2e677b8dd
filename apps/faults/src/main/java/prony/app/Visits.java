package prony.app;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Remembers each visit with 2 kB. VISITS (an environment variable) tells for how long: `all` for ever, `threads` not at all, but every
 * tenth visit starts an executor that nobody ends, and otherwise the last 2000 visits.
 */
final class Visits {
    private static final int SIZE = 2048;
    private static final int BOUND = 2000;
    private static final int EACH = 10;
    private static final String KEPT = String.valueOf(System.getenv("VISITS"));

    /** What is remembered. */
    private static final class Visit {
        private final byte[] page = new byte[SIZE];
    }

    private final AtomicLong number = new AtomicLong();
    private final Map<Long, Visit> visits = Collections.synchronizedMap(new LinkedHashMap<Long, Visit>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Visit> eldest) {
            return !KEPT.equals("all") && size() > BOUND;
        }
    });

    boolean remember() throws InterruptedException {
        long visit = number.incrementAndGet();
        Thread.sleep(1);
        if (!KEPT.equals("threads")) {
            visits.put(visit, new Visit());
        } else if (visit % EACH == 0) {
            ExecutorService notes = Executors.newFixedThreadPool(1);
            notes.execute(() -> number.get());
        }
        return true;
    }
}
