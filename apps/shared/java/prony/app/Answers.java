package prony.app;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import ${namespace}.servlet.ServletException;
import ${namespace}.servlet.http.HttpServlet;
import ${namespace}.servlet.http.HttpServletRequest;
import ${namespace}.servlet.http.HttpServletResponse;

/** Answers every path of answers.txt with a fixed body, Content-Type and Content-Length; any other path with 404. */
public class Answers extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private static final class Answer {
        final String type;
        final byte[] body;

        Answer(String type, byte[] body) {
            this.type = type;
            this.body = body;
        }
    }

    private final transient Map<String, Answer> answers = new HashMap<>();

    @Override
    public void init() throws ServletException {
        try (InputStream file = Answers.class.getResourceAsStream("/answers.txt");
                BufferedReader lines = new BufferedReader(new InputStreamReader(file, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.isEmpty() && line.charAt(0) != '#') {
                    String[] fields = line.split(" ", 3);
                    answers.put(fields[0], new Answer(fields[1], fields[2].getBytes(StandardCharsets.UTF_8)));
                }
            }
        } catch (IOException problem) {
            throw new ServletException("answers.txt cannot be read", problem);
        }
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Answer answer = answers.get(request.getPathInfo());
        if (answer == null) {
            response.sendError(HttpServletResponse.SC_NOT_FOUND);
            return;
        }
        response.setContentType(answer.type);
        response.setContentLength(answer.body.length);
        response.getOutputStream().write(answer.body);
    }
}
