package prony.app;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Keeps 24 MiB of long-lived entries, or as many as the environment variable ARCHIVE_MIB says, and replaces 512 KiB of them in every
 * request. The garbage has grown old, which is the most expensive kind for a collector. In a heap of 256 MiB this hardly matters; in
 * one of 56 MiB the collector is always busy.
 */
final class Archive {
    private static final int ENTRY = 16 << 10;
    private static final int ENTRIES = (mebibytes() << 20) / ENTRY;
    private static final int RENEWED = (512 << 10) / ENTRY;

    private final AtomicReferenceArray<byte[]> entries = new AtomicReferenceArray<>(ENTRIES);
    private final AtomicInteger next = new AtomicInteger();

    private static int mebibytes() {
        String given = System.getenv("ARCHIVE_MIB");
        return given == null ? 24 : Integer.parseInt(given);
    }

    boolean renew() {
        int from = next.getAndAdd(RENEWED);
        for (int entry = from; entry < from + RENEWED; entry++) {
            entries.set(Math.floorMod(entry, ENTRIES), new byte[ENTRY]);
        }
        return true;
    }
}
