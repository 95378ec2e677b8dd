package com.example.events;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/** Events are queued, and a thread of its own writes and forces them in groups. */
final class EventJournal {
    private static final long LENGTH = 64 << 20;

    private final BlockingQueue<byte[]> queue = new ArrayBlockingQueue<>(100_000);
    private final boolean force;
    private final FileChannel file;

    EventJournal(boolean force) throws IOException {
        this.force = force;
        Path path = Files.createTempFile("events-", ".journal");
        file = FileChannel.open(path, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE);
        Thread writer = new Thread(this::write, "journal");
        writer.setDaemon(true);
        writer.start();
    }

    /** Returns false if the journal cannot follow. */
    boolean add(byte[] event) {
        return queue.offer(event);
    }

    private void write() {
        ByteArrayOutputStream group = new ByteArrayOutputStream();
        try {
            while (true) {
                byte[] event = queue.poll(1, TimeUnit.SECONDS);
                if (event == null) {
                    continue;
                }
                group.reset();
                for (; event != null && group.size() < 1 << 20; event = queue.poll()) {
                    group.write(event);
                    group.write('\n');
                }
                if (file.position() > LENGTH) {
                    file.position(0);
                }
                file.write(ByteBuffer.wrap(group.toByteArray()));
                if (force) {
                    file.force(false);
                }
            }
        } catch (IOException problem) {
            System.err.println("the journal ends: " + problem);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
    }
}
