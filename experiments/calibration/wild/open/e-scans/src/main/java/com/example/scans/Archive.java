package com.example.scans;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The scans, one folder for each patient. */
final class Archive {
    private final Path root;
    private final boolean close;

    Archive(Path root, boolean close) {
        this.root = root;
        this.close = close;
    }

    List<String> scans(String patient) throws IOException {
        Path folder = root.resolve(patient);
        if (close) {
            try (Stream<Path> files = Files.list(folder)) {
                return names(files);
            }
        }
        return names(Files.list(folder));
    }

    private static List<String> names(Stream<Path> files) {
        return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
}
