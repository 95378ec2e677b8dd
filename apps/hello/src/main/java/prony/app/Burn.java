package prony.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
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
 * A known slowness, for `prony calibrate power`: burns the same CPU in every request and counts it.
 *
 * <p>Where the system property prony.burn is not set, this filter is not there. Set, it names the turns of a loop that
 * every request takes; both arms set it, one of them to 0, so that they differ by the loop alone. What the turns cost is
 * not assumed: the CPU clock of the thread is read around them in a random 64th of the requests, and the sum is written
 * to the file named by prony.burn.count when the server stops, as "turns samples nanoseconds".
 */
public class Burn implements Filter {
    /** One request in so many is timed: four readings of the clock cost as much as the loop. */
    private static final int ONE_IN = 64;

    /** Samples not counted, some 2,000 requests: by then the loop has long been compiled. */
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
            int turns = Integer.parseInt(wanted); // Integer.getInteger takes the zeros in front for octal.
            context.addFilter("burn", new Burn(turns, count)).addMappingForUrlPatterns(null, false, "/*");
        }
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
        clocks.getCurrentThreadCpuTime(); // The first reading finds cold caches and would make the second look cheap.
        long before = clocks.getCurrentThreadCpuTime();
        long begun = clocks.getCurrentThreadCpuTime();
        burn();
        long ended = clocks.getCurrentThreadCpuTime();
        // One reading of the clock lies within either difference.
        long took = ended - begun - (begun - before);
        // Interrupts are billed to whoever runs, and a virtual machine bills what was stolen from it: not the loop's.
        boolean undisturbed = Math.abs(took) < 5_000 + 10L * turns;
        if (undisturbed && seen.incrementAndGet() > WARM) {
            samples.increment();
            nanos.add(took);
        }
    }

    /** Marsaglia's xorshift: every turn needs the one before it, so no compiler can shorten or widen the loop. */
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

    /** The server stops. */
    @Override
    public void destroy() {
        String line = turns + " " + samples.sum() + " " + nanos.sum() + "\n";
        try {
            Files.write(Paths.get(count), line.getBytes(StandardCharsets.UTF_8),
                    StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException problem) {
            throw new UncheckedIOException("the count of burnt time cannot be written", problem);
        }
    }

    @Override
    public void init(FilterConfig config) {}
}
