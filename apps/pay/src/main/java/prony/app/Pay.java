package prony.app;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.logging.Logger;
import ${namespace}.servlet.http.HttpServlet;
import ${namespace}.servlet.http.HttpServletRequest;
import ${namespace}.servlet.http.HttpServletResponse;

/** `/pay?orderId=…` logs, waits for a second as for a bank (or for `millis=…`), and answers that the order is paid. */
public class Pay extends HttpServlet {
    private static final long serialVersionUID = 1L;
    private static final long SECOND = 1000;
    private static final Logger LOG = Logger.getLogger("prony.pay");

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String order = request.getParameter("orderId");
        String millis = request.getParameter("millis");
        if (order == null) {
            response.sendError(HttpServletResponse.SC_BAD_REQUEST, "orderId is missing");
            return;
        }
        LOG.info("paying order " + order);
        try {
            Thread.sleep(millis == null ? SECOND : Long.parseLong(millis));
        } catch (InterruptedException stopping) {
            response.sendError(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
            return;
        } catch (IllegalArgumentException noNumber) {
            response.sendError(HttpServletResponse.SC_BAD_REQUEST, "millis is no number of milliseconds");
            return;
        }
        byte[] body = ("Order " + order + " paid via card").getBytes(StandardCharsets.UTF_8);
        response.setContentType("text/plain;charset=utf-8");
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
