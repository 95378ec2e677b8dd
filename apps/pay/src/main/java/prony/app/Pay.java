package prony.app;

import java.io.IOException;
import ${namespace}.servlet.http.HttpServlet;
import ${namespace}.servlet.http.HttpServletRequest;
import ${namespace}.servlet.http.HttpServletResponse;

/** Answers `/pay`; the thread of the request waits. */
public class Pay extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Reply reply = Payment.pay(request::getParameter);
        try {
            Thread.sleep(reply.millis);
        } catch (InterruptedException stopping) {
            response.sendError(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
            return;
        }
        response.setStatus(reply.status);
        response.setContentType(reply.type);
        response.setContentLength(reply.body.length);
        response.getOutputStream().write(reply.body);
    }
}
