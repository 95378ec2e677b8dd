package org.example.museum;

import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/** When a visitor can enter the museum today. */
final class VisitsHandler extends Handler.Abstract {
    private final TicketOffice office;
    private final CircuitBreaker breaker;

    VisitsHandler(TicketOffice office, CircuitBreaker breaker) {
        this.office = office;
        this.breaker = breaker;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        if (!Request.getPathInContext(request).equals("/visits/today")) {
            return false;
        }
        String text;
        try {
            text = "free today: " + breaker.executeSupplier(office::freeSlots);
        } catch (CallNotPermittedException e) {
            response.setStatus(503);
            text = "please come back a little later";
        }
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/plain");
        Content.Sink.write(response, true, text, callback);
        return true;
    }
}
