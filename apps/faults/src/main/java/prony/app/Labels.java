package prony.app;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;
import ${namespace}.servlet.http.HttpServlet;
import ${namespace}.servlet.http.HttpServletRequest;
import ${namespace}.servlet.http.HttpServletResponse;

/** Answers with as many headers as the variable LABELS says, whose values never come again. */
final class Labels extends HttpServlet {
    private static final long serialVersionUID = 1L;
    private static final byte[] LABELLED = "labelled".getBytes(StandardCharsets.UTF_8);

    private final int count = Integer.parseInt(System.getenv().getOrDefault("LABELS", "0"));

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        for (int label = 0; label < count; label++) {
            response.setHeader("X-Label-" + label, Long.toHexString(random.nextLong()) + Long.toHexString(random.nextLong()));
        }
        response.setContentType("text/plain;charset=utf-8");
        response.setContentLength(LABELLED.length);
        response.getOutputStream().write(LABELLED);
    }
}
