package mail.status;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Moves old mails into the archive: eight threads that have hardly anything to do by day, two at a time. */
final class Archive {
    private static final int THREADS = 8;

    private final BlockingQueue<String> old = new ArrayBlockingQueue<>(100);
    private final Semaphore tapes = new Semaphore(2);
    private final Statuses statuses;

    Archive(Statuses statuses) {
        this.statuses = statuses;
    }

    void start() {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS, task -> {
            Thread thread = new Thread(task, "archive");
            thread.setDaemon(true);
            return thread;
        });
        for (int i = 0; i < THREADS; i++) {
            threads.execute(this::work);
        }
    }

    private void work() {
        try {
            while (true) {
                tapes.acquire();
                try {
                    String mail = old.poll(5, TimeUnit.SECONDS);
                    if (mail != null) {
                        statuses.set(new Statuses.Status(mail, "archived", 1));
                    }
                } finally {
                    tapes.release();
                }
            }
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }
}
