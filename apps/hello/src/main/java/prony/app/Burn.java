package prony.app;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import ${namespace}.servlet.Filter;
import ${namespace}.servlet.FilterChain;
import ${namespace}.servlet.FilterConfig;
import ${namespace}.servlet.ServletContext;
import ${namespace}.servlet.ServletException;
import ${namespace}.servlet.ServletRequest;
import ${namespace}.servlet.ServletResponse;

/**
 * A known slowness for `prony calibrate power`: this filter burns the same CPU in every request and counts it.
 *
 * <p>The filter is installed only if the system property prony.burn is set, which is the number of turns of a loop in every
 * request. Both arms set it, one of them to 0, so that they differ by the loop alone. If prony.burn.quarter is set, which is a
 * seed, only a random quarter of the starts burns. The cost of the turns is not assumed but
 * measured: in a random 64th of the requests the CPU clock of the thread is read around the loop. When the server stops, the sum
 * is written to the file named by prony.burn.count, as "turns samples nanoseconds".
 */
public class Burn implements Filter {
    /** One request in this number is timed, because four readings of the clock cost as much as the loop. */
    private static final int ONE_IN = 64;

    /** Number of first samples that do not count: after these 2,000 requests the loop has long been compiled. */
    private static final int WARM = 32;

    private final ThreadMXBean clocks = ManagementFactory.getThreadMXBean();
    private final AtomicLong seen = new AtomicLong();
    private final LongAdder samples = new LongAdder();
    private final LongAdder nanos = new LongAdder();
    private final int turns;
    private final String count;

    private Burn(int turns, String count) {
        this.turns = turns;
        this.count = count;
    }

    static void register(ServletContext context) {
        String wanted = System.getProperty("prony.burn");
        String count = System.getProperty("prony.burn.count");
        if (wanted != null && count != null) {
            int turns = Integer.parseInt(wanted); // Integer.getInteger would take leading zeros for an octal number.
            String seed = System.getProperty("prony.burn.quarter");
            if (seed != null && !isBad(Long.parseLong(seed), count)) {
                turns = 0;
            }
            context.addFilter("burn", new Burn(turns, count)).addMappingForUrlPatterns(null, false, "/*");
        }
    }

    /** Whether this start is in the random quarter. The starts are told apart by the lines that earlier ones have written. */
    private static boolean isBad(long seed, String count) {
        int earlier = Count.lines(count);
        Random random = new Random(seed);
        for (int start = 0; start < earlier; start++) {
            random.nextInt(4);
        }
        return random.nextInt(4) == 0;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (ThreadLocalRandom.current().nextInt(ONE_IN) == 0) {
            burnAndCount();
        } else {
            burn();
        }
        chain.doFilter(request, response);
    }

    private void burnAndCount() {
        clocks.getCurrentThreadCpuTime(); // The first reading has cold caches, so the second would look cheap beside it.
        long before = clocks.getCurrentThreadCpuTime();
        long begun = clocks.getCurrentThreadCpuTime();
        burn();
        long ended = clocks.getCurrentThreadCpuTime();
        // Each of the two differences contains one reading of the clock.
        long took = ended - begun - (begun - before);
        // The time of interrupts and stolen time are billed to the running thread, but they are not part of the loop.
        boolean undisturbed = Math.abs(took) < 5_000 + 10L * turns;
        if (undisturbed && seen.incrementAndGet() > WARM) {
            samples.increment();
            nanos.add(took);
        }
    }

    /** Marsaglia's xorshift: every turn needs the result of the one before it, so no compiler can shorten or vectorise the loop. */
    private void burn() {
        long x = 88172645463325252L;
        for (int turn = 0; turn < turns; turn++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        if (x == 0) {
            throw new IllegalStateException("xorshift never reaches 0; this keeps its result alive");
        }
    }

    /** Writes the count when the server stops. */
    @Override
    public void destroy() {
        Count.append(count, turns, samples.sum(), nanos.sum());
    }

    @Override
    public void init(FilterConfig config) {}
}
