package com.example.archive;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;
import java.util.logging.Level;
import java.util.logging.Logger;

/** A folder for each message, with a file for each of its parts. */
final class Archive {
    static final int PARTS = 6;
    private static final int MESSAGES = 64;
    private static final Logger LOG = Logger.getLogger(Archive.class.getName());

    private final Path root;
    private final LongAdder retries = new LongAdder();

    private Archive(Path root) {
        this.root = root;
    }

    static Archive open(Path root) throws IOException {
        Random random = new Random(3);
        byte[] part = new byte[6000];
        for (int message = 0; message < MESSAGES; message++) {
            Path folder = Files.createDirectories(root.resolve(String.valueOf(message)));
            for (int i = 0; i < PARTS; i++) {
                Path file = folder.resolve("part-" + i);
                random.nextBytes(part);
                if (!Files.exists(file) || Files.size(file) != part.length) {
                    Files.write(file, part);
                }
            }
        }
        LOG.log(Level.INFO, "archive {0} with {1} messages", new Object[] {root, MESSAGES});
        return new Archive(root);
    }

    /** What is done with the opened parts of a message. */
    interface Reader {
        byte[] read(List<FileChannel> parts) throws IOException, InterruptedException;
    }

    /** Opens all parts of a message. The archive is on NFS, which fails now and then for a moment, so this tries again. */
    byte[] read(int message, Reader reader) throws IOException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            List<FileChannel> parts = new ArrayList<>(PARTS);
            try {
                for (int i = 0; i < PARTS; i++) {
                    parts.add(FileChannel.open(root.resolve(message + "/part-" + i), StandardOpenOption.READ));
                }
                return reader.read(parts);
            } catch (NoSuchFileException e) {
                throw e;
            } catch (IOException e) {
                if (attempt == 1000) {
                    throw e;
                }
                retries.increment();
                if (retries.sum() % 1000 == 1) {
                    LOG.log(Level.WARNING, "message {0}: {1}, trying again", new Object[] {message, e.getMessage()});
                }
            } finally {
                for (FileChannel part : parts) {
                    part.close();
                }
            }
            Thread.sleep(20);
        }
    }
}
