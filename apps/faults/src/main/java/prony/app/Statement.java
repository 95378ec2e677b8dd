package prony.app;

import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Prepares a statement in a pool of eight threads, which gives two sections to the same pool and waits for them, and does without those that take
 * longer than 0.3 s. With eight statements at a time no thread is left for any section. With the environment variable STATEMENT_APART the sections
 * have a pool of their own, with a thread for each.
 */
final class Statement {
    private static final int THREADS = 8;
    private static final int SECTIONS = 2;
    private static final long SECTION_MILLIS = 2;
    private static final long PATIENCE_MILLIS = 300;

    private final ExecutorService statements = pool("statement-", THREADS);
    private final ExecutorService sections =
            System.getenv("STATEMENT_APART") == null ? statements : pool("section-", THREADS * SECTIONS);

    private static ExecutorService pool(String names, int threads) {
        return Executors.newFixedThreadPool(threads, task -> {
            Thread thread = new Thread(task, names);
            thread.setName(names + thread.getId());
            thread.setDaemon(true);
            return thread;
        });
    }

    boolean prepare() throws IOException, InterruptedException {
        try {
            return statements.submit(this::build).get();
        } catch (ExecutionException failed) {
            throw new IOException(failed);
        }
    }

    private boolean build() throws InterruptedException, ExecutionException {
        Future<?>[] parts = new Future<?>[SECTIONS];
        for (int part = 0; part < SECTIONS; part++) {
            parts[part] = sections.submit(Statement::section);
        }
        for (Future<?> part : parts) {
            try {
                part.get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException late) {
                part.cancel(false);
            }
        }
        return true;
    }

    private static Void section() throws InterruptedException {
        Thread.sleep(SECTION_MILLIS);
        return null;
    }
}
