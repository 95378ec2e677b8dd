package prony.app;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import ${namespace}.servlet.ServletOutputStream;
import ${namespace}.servlet.http.HttpServlet;
import ${namespace}.servlet.http.HttpServletRequest;
import ${namespace}.servlet.http.HttpServletResponse;

/**
 * Answers with a sentence that is in a file, too. EXPORT (an environment variable) tells how it has the kernel work for that: with `flush` each word
 * is flushed, with `bytes` the file is read ten times, byte by byte, and with `names` it is asked three hundred times how old the file is. Otherwise
 * the answer is written at once.
 */
final class Export extends HttpServlet {
    private static final long serialVersionUID = 1L;
    private static final byte[] SENTENCE =
            "an export of which each word is flushed on its own way to the reader, who wants all of it".getBytes(StandardCharsets.UTF_8);
    private static final String WAY = String.valueOf(System.getenv("EXPORT"));
    private static final int READINGS = 10;
    private static final int LOOKS = 300;

    private final transient Path file;

    Export() {
        try {
            file = Files.write(Files.createTempFile("export", ".txt"), SENTENCE);
            file.toFile().deleteOnExit();
        } catch (IOException noFolder) {
            throw new IllegalStateException(noFolder);
        }
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setContentType("text/plain;charset=utf-8");
        if (WAY.equals("bytes") && read() != READINGS * SENTENCE.length || WAY.equals("names") && oldest() == 0) {
            throw new IOException("another file");
        }
        write(response.getOutputStream());
    }

    private static void write(ServletOutputStream out) throws IOException {
        for (byte letter : SENTENCE) {
            out.write(letter);
            if (letter == ' ' && WAY.equals("flush")) {
                out.flush();
            }
        }
    }

    private int read() throws IOException {
        int bytes = 0;
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
            for (int reading = 0; reading < READINGS; reading++) {
                in.seek(0);
                while (in.read() >= 0) {
                    bytes++;
                }
            }
        }
        return bytes;
    }

    private long oldest() throws IOException {
        long oldest = Long.MAX_VALUE;
        for (int look = 0; look < LOOKS; look++) {
            oldest = Math.min(oldest, Files.getLastModifiedTime(file).toMillis());
        }
        return oldest;
    }
}
