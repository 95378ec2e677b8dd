package prony.app;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** The answers of answers.txt, which prony reads by the same rules. */
public final class FixedAnswers {
    private FixedAnswers() {}

    /** Returns the answers by their paths. */
    public static Map<String, Reply> read() {
        Map<String, Reply> answers = new HashMap<>();
        try (InputStream file = FixedAnswers.class.getResourceAsStream("/answers.txt");
                BufferedReader lines = new BufferedReader(new InputStreamReader(file, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.isEmpty() && line.charAt(0) != '#') {
                    String[] fields = line.split(" ", 3);
                    answers.put(fields[0], Reply.ok(fields[1], fields[2]));
                }
            }
        } catch (IOException problem) {
            throw new UncheckedIOException("answers.txt cannot be read", problem);
        }
        return answers;
    }
}
