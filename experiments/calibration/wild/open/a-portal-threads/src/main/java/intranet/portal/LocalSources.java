package intranet.portal;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Runs the stand-in of the portal's sources, for machines that cannot reach the real one. It ends with this process. */
final class LocalSources {
    private static Process process;

    private LocalSources() {}

    static synchronized URI start(String... arguments) throws IOException {
        String script;
        try (InputStream in = LocalSources.class.getResourceAsStream("/sources.py")) {
            script = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        List<String> command = new ArrayList<>(List.of("python3", "-c", script));
        command.addAll(Arrays.asList(arguments));
        process = new ProcessBuilder(command).redirectError(Redirect.DISCARD).start();
        BufferedReader out = process.inputReader();
        return URI.create("http://127.0.0.1:" + out.readLine().trim());
    }

    static synchronized void stop() {
        if (process != null) {
            process.destroy();
        }
    }
}
