package ledger.events;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The journal of one ledger: a file that begins anew when it is full. */
final class Journal implements AutoCloseable {
    private static final long FULL = 256 << 10;

    private final FileChannel file;
    private boolean changed;

    Journal(Path path) throws IOException {
        file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }

    /** Writes an event. If `durable`, it is on the disk when this returns. */
    synchronized void append(byte[] event, boolean durable) throws IOException {
        if (file.position() > FULL) {
            file.position(0);
        }
        file.write(ByteBuffer.wrap(event));
        if (durable) {
            file.force(true);
        } else {
            changed = true;
        }
    }

    /** Brings to the disk what was written. */
    void sync() throws IOException {
        synchronized (this) {
            if (!changed) {
                return;
            }
            changed = false;
        }
        file.force(false);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
