package com.example.feed;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** What has changed in the calendar, by number. Clients that have seen everything leave a listener. */
final class Changes {
    private final ConcurrentSkipListMap<Long, String> log = new ConcurrentSkipListMap<>();
    private final AtomicLong last = new AtomicLong();
    private final List<Consumer<String>> listeners = new ArrayList<>();

    void add(String change) {
        List<Consumer<String>> told;
        synchronized (listeners) {
            log.put(last.incrementAndGet(), change);
            told = new ArrayList<>(listeners);
            listeners.clear();
        }
        told.forEach(listener -> listener.accept(change));
    }

    /** The changes after a number, or nothing, and then the listener is told of the next one. */
    List<String> after(long number, Consumer<String> listener) {
        synchronized (listeners) {
            List<String> changes = new ArrayList<>(log.tailMap(number, false).values());
            if (changes.isEmpty()) {
                listeners.add(listener);
            }
            return changes;
        }
    }

    void forget(Consumer<String> listener) {
        synchronized (listeners) {
            listeners.remove(listener);
        }
    }
}
