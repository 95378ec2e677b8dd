package fi.kauppaketju.loyalty;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Notes on the disk ten times a second how many bookings there were, for the comparison with the partner at night. */
@Component
@EnableScheduling
class Checkpoint {
    private final AtomicLong bookings = new AtomicLong();
    private final FileChannel file;

    Checkpoint() throws IOException {
        Path path = Files.createTempFile("loyalty", ".checkpoint");
        file = FileChannel.open(path, StandardOpenOption.WRITE);
        Files.delete(path); // this process only
    }

    void booked() {
        bookings.incrementAndGet();
    }

    @Scheduled(fixedDelay = 100)
    void write() {
        ByteBuffer number = ByteBuffer.allocate(8).putLong(bookings.get()).flip();
        try {
            file.write(number, 0);
            file.force(true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
