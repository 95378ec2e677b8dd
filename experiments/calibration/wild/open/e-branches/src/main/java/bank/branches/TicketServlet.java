package bank.branches;

import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Draws a ticket. */
@WebServlet(urlPatterns = "/ticket", loadOnStartup = 1)
public class TicketServlet extends HttpServlet {
    private transient Display display;
    private transient Queues queues;

    @Override
    public void init() throws ServletException {
        try {
            display = new Display();
        } catch (IOException e) {
            throw new ServletException(e);
        }
        queues = new Queues(display, Boolean.getBoolean("queues.tellAfterwards"));
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        int ticket = queues.draw(request.getParameter("branch"));
        response.setContentType("text/plain");
        response.setHeader("Cache-Control", "no-store");
        response.setHeader("X-Ticket", Integer.toString(ticket));
        response.getWriter().println("drawn");
    }

    @Override
    public void destroy() {
        display.close();
    }
}
