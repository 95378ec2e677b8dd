package board.updates;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Long polling: the answer comes with the next change of the board. */
@WebServlet(urlPatterns = "/changes", asyncSupported = true, loadOnStartup = 1)
public class ChangesServlet extends HttpServlet {
    private static final byte[] CHANGE = "{\"platform\":7,\"train\":\"RE 70\",\"delay\":0}".getBytes(StandardCharsets.UTF_8);

    private transient Board board;

    @Override
    public void init() {
        board = new Board(ChangesServlet::tell);
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) {
        AsyncContext viewer = request.startAsync();
        viewer.setTimeout(30_000);
        board.await(viewer);
    }

    private static void tell(AsyncContext viewer) {
        HttpServletResponse response = (HttpServletResponse) viewer.getResponse();
        try {
            response.setContentType("application/json");
            response.setContentLength(CHANGE.length);
            response.getOutputStream().write(CHANGE);
        } catch (IOException left) {
            // The viewer has closed the page.
        } finally {
            viewer.complete();
        }
    }

    @Override
    public void destroy() {
        board.close();
    }
}
