package board.updates;

import jakarta.servlet.AsyncContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The departures board: it changes four times a second, and tells everybody who waits for the change. */
final class Board {
    private static final long MILLIS = 250;

    private final ConcurrentLinkedQueue<AsyncContext> waiting = new ConcurrentLinkedQueue<>();
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    private final Consumer<AsyncContext> teller;

    Board(Consumer<AsyncContext> teller) {
        this.teller = teller;
        clock.scheduleAtFixedRate(this::change, MILLIS, MILLIS, TimeUnit.MILLISECONDS);
    }

    void await(AsyncContext viewer) {
        waiting.add(viewer);
    }

    private void change() {
        List<AsyncContext> viewers = new ArrayList<>();
        for (AsyncContext viewer = waiting.poll(); viewer != null; viewer = waiting.poll()) {
            viewers.add(viewer);
        }
        viewers.forEach(teller);
    }

    void close() {
        clock.shutdownNow();
    }
}
