package prony.app;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;

/** Writes a receipt into a file of the request's thread, and waits until it is on the disk before the request is answered. */
final class Receipt {
    private static final byte[] RECEIPT = "a receipt that nobody may lose\n".getBytes(StandardCharsets.UTF_8);

    boolean write() throws IOException {
        Path path = Paths.get(System.getProperty("java.io.tmpdir"), "receipt-" + Thread.currentThread().getId());
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            file.write(ByteBuffer.wrap(RECEIPT));
            file.force(true);
            return true;
        }
    }
}
