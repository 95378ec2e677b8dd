package prony.app;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import ${namespace}.servlet.http.HttpServlet;
import ${namespace}.servlet.http.HttpServletRequest;
import ${namespace}.servlet.http.HttpServletResponse;

/** Answers with what a question has found, and with 503 if it failed or found something else than expected. */
public class Asking extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private final String expected;
    private final transient Question question;

    Asking(String expected, Question question) {
        this.expected = expected;
        this.question = question;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String found;
        try {
            found = question.ask();
        } catch (Exception failed) {
            found = failed.toString();
        }
        byte[] body = found.getBytes(StandardCharsets.UTF_8);
        response.setStatus(found.equals(expected) ? HttpServletResponse.SC_OK : HttpServletResponse.SC_SERVICE_UNAVAILABLE);
        response.setContentType("text/plain;charset=utf-8");
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
