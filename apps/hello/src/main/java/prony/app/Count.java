package prony.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.StringJoiner;

/** The file in which a known slowness counts what it did: a line of numbers for every start. */
final class Count {
    private Count() {}

    /** Appends the line of this start. */
    static void append(String file, long... numbers) {
        StringJoiner line = new StringJoiner(" ", "", "\n");
        for (long number : numbers) {
            line.add(Long.toString(number));
        }
        try {
            Files.write(Paths.get(file), line.toString().getBytes(StandardCharsets.UTF_8),
                    StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException problem) {
            throw new UncheckedIOException("the count of a known slowness cannot be written", problem);
        }
    }

    /** Returns the number of starts that have ended. */
    static int lines(String file) {
        Path path = Paths.get(file);
        try {
            return Files.exists(path) ? Files.readAllLines(path).size() : 0;
        } catch (IOException problem) {
            throw new UncheckedIOException("the count of a known slowness cannot be read", problem);
        }
    }
}
