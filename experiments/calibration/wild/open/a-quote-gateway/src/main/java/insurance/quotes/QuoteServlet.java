package insurance.quotes;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Quotes for a customer. The container's threads are not kept waiting: a worker asks the rating service and completes the answer. */
@WebServlet(urlPatterns = "/quote", asyncSupported = true, loadOnStartup = 1)
public class QuoteServlet extends HttpServlet {
    private transient ExecutorService workers;
    private transient Ratings ratings;

    @Override
    public void init() throws ServletException {
        workers = Executors.newFixedThreadPool(64);
        try {
            String connections = System.getenv().getOrDefault("RATING_CONNECTIONS", "0");
            ratings = new Ratings(LocalRatings.start(), Integer.parseInt(connections));
        } catch (IOException problem) {
            throw new ServletException("the rating service cannot be reached", problem);
        }
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) {
        String customer = request.getParameter("customer");
        AsyncContext context = request.startAsync();
        workers.execute(() -> {
            try {
                byte[] answer = ("{\"premium\":418.20,\"rating\":" + ratings.rating(customer) + "}").getBytes(StandardCharsets.UTF_8);
                HttpServletResponse out = (HttpServletResponse) context.getResponse();
                out.setContentType("application/json");
                out.setContentLength(answer.length);
                out.getOutputStream().write(answer);
            } catch (IOException problem) {
                getServletContext().log("no quote for " + customer, problem);
                ((HttpServletResponse) context.getResponse()).setStatus(HttpServletResponse.SC_BAD_GATEWAY);
            } finally {
                context.complete();
            }
        });
    }

    @Override
    public void destroy() {
        workers.shutdownNow();
        try {
            ratings.close();
        } catch (IOException problem) {
            getServletContext().log("the client was not closed", problem);
        }
        LocalRatings.stop();
    }
}
