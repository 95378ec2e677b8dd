package org.opinio.survey;

import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Shows one page of questions and remembers in the session how far the participant has come. */
@WebServlet("/survey")
public class SurveyServlet extends HttpServlet {
    private static final List<String> QUESTIONS = List.of(
        "How did you hear about the library?",
        "How often do you visit one of its branches?",
        "Which of its services do you use at home?",
        "How satisfied are you with the opening hours?",
        "How easy was it to find what you were looking for?",
        "Would you recommend the library to others?");

    private int participants;
    private boolean resume;

    @Override
    public void init() throws ServletException {
        participants = Integer.parseInt(getServletContext().getInitParameter("survey.participants"));
        resume = Boolean.parseBoolean(System.getProperty("survey.resume", "true"));
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (resume && !remember(request)) {
            response.setStatus(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
            response.setContentType("text/html;charset=UTF-8");
            response.setHeader("Retry-After", "120");
            response.getWriter().write("<p>Many people are taking part just now. Please come back later.</p>");
            return;
        }
        StringBuilder page = new StringBuilder(4096);
        page.append("<!doctype html><html><head><title>Your library</title></head><body><form method=post>");
        int number = 0;
        for (String question : QUESTIONS) {
            number++;
            page.append("<fieldset><legend>").append(number).append(". ").append(escape(question)).append("</legend>");
            for (int choice = 1; choice <= 5; choice++) {
                page.append("<label><input type=radio name=q").append(number).append(" value=").append(choice)
                    .append('>').append(choice).append("</label>");
            }
            page.append("</fieldset>");
        }
        page.append("<button>Continue</button></form></body></html>");
        response.setContentType("text/html;charset=UTF-8");
        response.getWriter().write(page.toString());
    }

    private boolean remember(HttpServletRequest request) {
        HttpSession session = request.getSession(false);
        if (session == null) {
            if (Participants.present() >= participants) {
                return false;
            }
            session = request.getSession(true);
            Map<String, Integer> answers = new HashMap<>();
            session.setAttribute("answers", answers);
        }
        session.setAttribute("seen", System.currentTimeMillis());
        return true;
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }
}
