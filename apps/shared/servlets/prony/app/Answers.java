package prony.app;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import ${namespace}.servlet.http.HttpServlet;
import ${namespace}.servlet.http.HttpServletRequest;
import ${namespace}.servlet.http.HttpServletResponse;

/** Answers every path of answers.txt with a fixed body, Content-Type and Content-Length; any other path with 404. */
public class Answers extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private final transient Map<String, Reply> answers = new HashMap<>();

    @Override
    public void init() {
        answers.putAll(FixedAnswers.read());
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Reply answer = answers.get(request.getPathInfo());
        if (answer == null) {
            response.sendError(HttpServletResponse.SC_NOT_FOUND);
            return;
        }
        response.setContentType(answer.type);
        response.setContentLength(answer.body.length);
        response.getOutputStream().write(answer.body);
    }
}
