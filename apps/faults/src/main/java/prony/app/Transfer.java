package prony.app;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Once a second two requests move something between two accounts, each of which is locked meanwhile: one of them locks the accounts in
 * the opposite order, so that both wait for ever, and those after them, too. With the environment variable TRANSFER_ORDERED all lock
 * them in the same order. All other requests take two milliseconds. With TRANSFER_ALWAYS each request moves something, one after the
 * other in both directions, so that soon none goes on.
 */
final class Transfer {
    private static final long SECOND = 1_000_000_000;
    private static final long HELD_MILLIS = 20;
    private static final long OTHERS_MILLIS = 2;
    private static final long SHORT_MILLIS = 1;
    private static final boolean ALWAYS = System.getenv("TRANSFER_ALWAYS") != null;
    private static final boolean ORDERED = System.getenv("TRANSFER_ORDERED") != null;

    /** What is locked for a transfer. */
    private static final class Account {
        private long balance;
    }

    private final Account giro = new Account();
    private final Account savings = new Account();
    private final AtomicLong moves = new AtomicLong();
    private final AtomicLong[] next = {new AtomicLong(), new AtomicLong()};

    boolean move() throws InterruptedException {
        if (ALWAYS) {
            boolean back = moves.incrementAndGet() % 2 == 0 && !ORDERED;
            return between(back ? savings : giro, back ? giro : savings, SHORT_MILLIS);
        }
        for (int which = 0; which < next.length; which++) {
            long now = System.nanoTime();
            long due = next[which].get();
            if (now - due > 0 && next[which].compareAndSet(due, now + SECOND)) {
                boolean back = which > 0 && !ORDERED;
                return between(back ? savings : giro, back ? giro : savings, HELD_MILLIS);
            }
        }
        Thread.sleep(OTHERS_MILLIS);
        return true;
    }

    private static boolean between(Account from, Account to, long held) throws InterruptedException {
        synchronized (from) {
            Thread.sleep(held);
            synchronized (to) {
                from.balance--;
                to.balance++;
                return true;
            }
        }
    }
}
