package com.example.archive;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;

/** Packs the bookings of a year with gzip, as the branches expect it. */
final class Packer {
    private final boolean keep;
    private final Map<String, byte[]> kept = new ConcurrentHashMap<>();
    private final byte[] bookings = bookings();

    Packer(boolean keep) {
        this.keep = keep;
    }

    byte[] packed(String year) throws IOException {
        byte[] packed = kept.get(year);
        if (packed == null) {
            packed = gzip();
            if (keep) {
                kept.put(year, packed);
            }
        }
        return packed;
    }

    private byte[] gzip() throws IOException {
        Process process = new ProcessBuilder("gzip", "-9", "-n", "-c").redirectError(ProcessBuilder.Redirect.INHERIT).start();
        Thread feeder = new Thread(() -> {
            try (OutputStream input = process.getOutputStream()) {
                input.write(bookings);
            } catch (IOException gone) {
                process.destroy();
            }
        }, "gzip-feeder");
        feeder.start();
        try {
            byte[] packed = process.getInputStream().readAllBytes();
            if (process.waitFor() != 0) {
                throw new IOException("gzip failed: " + process.exitValue());
            }
            return packed;
        } catch (InterruptedException stopping) {
            process.destroy();
            Thread.currentThread().interrupt();
            throw new IOException(stopping);
        }
    }

    private static byte[] bookings() {
        StringBuilder text = new StringBuilder();
        Random random = new Random(99);
        for (int i = 0; i < 8000; i++) {
            text.append(700_000 + i).append(';').append(random.nextInt(5000)).append(';').append(random.nextInt(1_000_000)).append(";standing order;EUR\n");
        }
        return text.toString().getBytes(StandardCharsets.US_ASCII);
    }
}
