package prony.app;

import java.io.IOException;
import ${namespace}.servlet.Filter;
import ${namespace}.servlet.FilterChain;
import ${namespace}.servlet.FilterConfig;
import ${namespace}.servlet.ServletException;
import ${namespace}.servlet.ServletRequest;
import ${namespace}.servlet.ServletResponse;
import ${namespace}.servlet.http.HttpServletResponse;

/** Does some work before a path is answered. */
public class Before implements Filter {
    /** What is done in the thread of the request; false leaves the request without its answer. */
    interface Work {
        boolean run() throws IOException, InterruptedException;
    }

    private final Work work;

    Before(Work work) {
        this.work = work;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        boolean done;
        try {
            done = work.run();
        } catch (InterruptedException stopping) {
            done = false;
        }
        if (done) {
            chain.doFilter(request, response);
        } else {
            ((HttpServletResponse) response).sendError(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
        }
    }

    @Override
    public void init(FilterConfig config) {}

    @Override
    public void destroy() {}
}
