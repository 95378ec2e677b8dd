package com.example.till;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicInteger;

/** A file for each receipt. After as many as the tax office wants, the oldest is overwritten. */
final class FileArchive implements Archive {
    private static final int FILES = 4096;

    private final Path folder;
    private final AtomicInteger next = new AtomicInteger();

    FileArchive(Path folder) {
        this.folder = folder;
    }

    @Override
    public void store(byte[] receipt) throws IOException {
        Path file = folder.resolve("receipt-" + Math.floorMod(next.getAndIncrement(), FILES) + ".json");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(receipt));
            channel.force(true);
        }
    }
}
