package prony.app;

import java.io.IOException;
import ${namespace}.servlet.Filter;
import ${namespace}.servlet.FilterChain;
import ${namespace}.servlet.FilterConfig;
import ${namespace}.servlet.ServletException;
import ${namespace}.servlet.ServletRequest;
import ${namespace}.servlet.ServletResponse;
import ${namespace}.servlet.http.HttpServletResponse;

/** Work that is done before a path is answered. */
public class Before implements Filter {
    /** Does the work in the thread of the request. Returns false if the request must not get its fixed answer. */
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
