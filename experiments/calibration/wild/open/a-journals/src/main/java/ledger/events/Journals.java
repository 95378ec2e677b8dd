package ledger.events;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The journals of all ledgers, in a folder that is removed at the end. */
final class Journals {
    private static final int LEDGERS = 32;

    private final Journal[] journals = new Journal[LEDGERS];
    private final boolean durable;

    Journals(Path parent, boolean durable) throws IOException {
        this.durable = durable;
        Path folder = Files.createTempDirectory(Files.createDirectories(parent), "ledger");
        for (int i = 0; i < LEDGERS; i++) {
            journals[i] = new Journal(folder.resolve("ledger-" + i + ".journal"));
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(folder)));
        if (!durable) {
            ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
                Thread thread = new Thread(task, "journal-sync");
                thread.setDaemon(true);
                return thread;
            });
            timer.scheduleWithFixedDelay(this::sync, 1, 1, TimeUnit.SECONDS);
        }
    }

    void append(int ledger, String event) throws IOException {
        journals[Math.floorMod(ledger, LEDGERS)].append((event + "\n").getBytes(StandardCharsets.UTF_8), durable);
    }

    private void sync() {
        for (Journal journal : journals) {
            try {
                journal.sync();
            } catch (IOException problem) {
                System.err.println("a journal was not written: " + problem);
            }
        }
    }

    private static void remove(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(folder);
        } catch (IOException problem) {
            System.err.println("journals were left behind: " + problem);
        }
    }
}
