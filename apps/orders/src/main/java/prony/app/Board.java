package prony.app;

import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A figure about all articles, which is kept for a second. When that is over, each request that comes computes it again; with the environment
 * variable BOARD_ALONE one does, and the others take the old one meanwhile.
 */
final class Board {
    private static final long KEPT_NANOS = 1_000_000_000;
    private static final boolean ALONE = System.getenv("BOARD_ALONE") != null;

    private static final AtomicBoolean COMPUTING = new AtomicBoolean();
    private static volatile int articles;
    private static volatile long until = System.nanoTime();

    private Board() {}

    static int articles() throws SQLException {
        if (System.nanoTime() - until < 0) {
            return articles;
        }
        if (!ALONE || articles == 0) {
            compute();
        } else if (COMPUTING.compareAndSet(false, true)) {
            try {
                compute();
            } finally {
                COMPUTING.set(false);
            }
        }
        return articles;
    }

    private static void compute() throws SQLException {
        articles = Database.board();
        until = System.nanoTime() + KEPT_NANOS;
    }
}
