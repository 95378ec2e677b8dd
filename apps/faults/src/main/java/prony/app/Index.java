package prony.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Looks up an entry in a mapped file of INDEX_MIB MiB (an environment variable; without it there is no file), which is written when
 * the server starts. This is quick while there is enough memory, and otherwise reads from the disk. A page fault reads about 100 kB
 * around its page, so a few of them for each request are all that a disk can do.
 */
final class Index {
    private static final int PAGE = 4096;
    private static final int MIB = 1 << 20;

    private final MappedByteBuffer file;

    Index() {
        String size = System.getenv("INDEX_MIB");
        try {
            file = size == null ? null : written(Integer.parseInt(size));
        } catch (IOException problem) {
            throw new UncheckedIOException("the index cannot be written", problem);
        }
    }

    private static MappedByteBuffer written(int mebibytes) throws IOException {
        Path path = Paths.get(System.getProperty("java.io.tmpdir"), "index");
        byte[] part = new byte[MIB];
        new Random(1).nextBytes(part); // A file of zeros might take no space on the disk.
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            for (int done = 0; done < mebibytes; done++) {
                file.write(ByteBuffer.wrap(part));
            }
            file.force(true);
            return file.map(FileChannel.MapMode.READ_ONLY, 0, (long) mebibytes * MIB);
        }
    }

    boolean lookUp() {
        return file == null || file.get(ThreadLocalRandom.current().nextInt(file.limit() / PAGE) * PAGE) <= Byte.MAX_VALUE;
    }
}
