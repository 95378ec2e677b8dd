package com.example.till;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** One journal for all receipts, which begins anew after 64 MB. */
final class JournalArchive implements Archive {
    private static final long LENGTH = 64 << 20;

    private final FileChannel journal;

    JournalArchive(Path folder) throws IOException {
        journal = FileChannel.open(folder.resolve("receipts.journal"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }

    @Override
    public synchronized void store(byte[] receipt) throws IOException {
        if (journal.position() > LENGTH) {
            journal.position(0);
        }
        journal.write(ByteBuffer.wrap(receipt));
        journal.force(false);
    }
}
