package prony.app;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Once a second two requests move something between two accounts, each of which is locked meanwhile: one of them locks the accounts in
 * the opposite order, so that both wait for ever, and those after them, too. With the environment variable TRANSFER_ORDERED all lock
 * them in the same order. All other requests take two milliseconds.
 */
final class Transfer {
    private static final long SECOND = 1_000_000_000;
    private static final long HELD_MILLIS = 20;
    private static final long OTHERS_MILLIS = 2;
    private static final boolean ORDERED = System.getenv("TRANSFER_ORDERED") != null;

    /** What is locked for a transfer. */
    private static final class Account {
        private long balance;
    }

    private final Account giro = new Account();
    private final Account savings = new Account();
    private final AtomicLong[] next = {new AtomicLong(), new AtomicLong()};

    boolean move() throws InterruptedException {
        for (int which = 0; which < next.length; which++) {
            long now = System.nanoTime();
            long due = next[which].get();
            if (now - due > 0 && next[which].compareAndSet(due, now + SECOND)) {
                boolean back = which > 0 && !ORDERED;
                return between(back ? savings : giro, back ? giro : savings);
            }
        }
        Thread.sleep(OTHERS_MILLIS);
        return true;
    }

    private static boolean between(Account from, Account to) throws InterruptedException {
        synchronized (from) {
            Thread.sleep(HELD_MILLIS);
            synchronized (to) {
                from.balance--;
                to.balance++;
                return true;
            }
        }
    }
}
