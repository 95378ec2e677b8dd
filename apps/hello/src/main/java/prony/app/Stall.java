package prony.app;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import ${namespace}.servlet.Filter;
import ${namespace}.servlet.FilterChain;
import ${namespace}.servlet.FilterConfig;
import ${namespace}.servlet.ServletContext;
import ${namespace}.servlet.ServletException;
import ${namespace}.servlet.ServletRequest;
import ${namespace}.servlet.ServletResponse;

/**
 * A known slowness for `prony calibrate power --dose stall`: every five seconds all requests wait while a gate is closed.
 *
 * <p>The filter is installed only if the system property prony.stall is set, which is the length of a stall in microseconds; both
 * arms set it, one of them to 0. The time between stalls is random, from 4 to 6 s, so that stalls keep no step with what is
 * measured. When the server stops, "microseconds stalled lived" is written to the file named by prony.stall.count: how long the
 * gate was really closed, and how long the filter lived, in nanoseconds.
 */
public class Stall implements Filter, Runnable {
    private final long begun = System.nanoTime();
    private final long micros;
    private final String count;
    private final Thread keeper = new Thread(this, "stall");
    private volatile CountDownLatch gate;
    private volatile long stalled;

    private Stall(long micros, String count) {
        this.micros = micros;
        this.count = count;
        keeper.setDaemon(true);
    }

    static void register(ServletContext context) {
        String wanted = System.getProperty("prony.stall");
        String count = System.getProperty("prony.stall.count");
        if (wanted != null && count != null) {
            Stall stall = new Stall(Long.parseLong(wanted), count);
            context.addFilter("stall", stall).addMappingForUrlPatterns(null, false, "/*");
            stall.keeper.start();
        }
    }

    /** Closes the gate again and again. */
    @Override
    public void run() {
        try {
            while (true) {
                Thread.sleep(ThreadLocalRandom.current().nextInt(4_000, 6_001) - micros / 1_000);
                if (micros > 0) {
                    stall();
                }
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private void stall() throws InterruptedException {
        CountDownLatch closed = new CountDownLatch(1);
        long from = System.nanoTime();
        gate = closed;
        try {
            Thread.sleep(micros / 1_000, (int) (micros % 1_000) * 1_000);
        } finally {
            gate = null;
            stalled += System.nanoTime() - from;
            closed.countDown();
        }
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        CountDownLatch closed = gate;
        if (closed != null) {
            try {
                closed.await();
            } catch (InterruptedException stopped) {
                throw new ServletException("the server stops during a stall", stopped);
            }
        }
        chain.doFilter(request, response);
    }

    /** Writes the count when the server stops. */
    @Override
    public void destroy() {
        keeper.interrupt();
        Count.append(count, micros, stalled, System.nanoTime() - begun);
    }

    @Override
    public void init(FilterConfig config) {}
}
