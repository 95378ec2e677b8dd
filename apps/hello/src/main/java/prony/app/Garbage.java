package prony.app;

import java.io.File;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import ${namespace}.servlet.Filter;
import ${namespace}.servlet.FilterChain;
import ${namespace}.servlet.FilterConfig;
import ${namespace}.servlet.ServletContext;
import ${namespace}.servlet.ServletException;
import ${namespace}.servlet.ServletRequest;
import ${namespace}.servlet.ServletResponse;

/**
 * A known slowness for `prony calibrate power --dose gc`: every request allocates garbage and keeps it for a while, so that the
 * collector has to copy it.
 *
 * <p>The filter is installed only if the system property prony.garbage is set, which is the number of bytes per request; both arms
 * set it, one of them to 0. What that costs is counted: in a random 64th of the requests the CPU clock of the thread is read
 * around the allocation, and when the server stops, the CPU time of the JVM's own threads of the collector is read. Then "bytes
 * samples nanoseconds requests collector-nanoseconds collections pause-milliseconds" is written to the file named by
 * prony.garbage.count.
 */
public class Garbage implements Filter {
    private static final int ONE_IN = 64;

    /** Number of first samples that do not count: after these 2,000 requests the loop has long been compiled. */
    private static final int WARM = 32;

    /** Bytes of an object, and how many of them are kept: 32 MiB. */
    private static final int OBJECT = 256;
    private static final int KEPT = 131_072;

    private final ThreadMXBean clocks = ManagementFactory.getThreadMXBean();
    private final AtomicReferenceArray<byte[]> kept = new AtomicReferenceArray<>(KEPT);
    private final LongAdder requests = new LongAdder();
    private final LongAdder seen = new LongAdder();
    private final LongAdder samples = new LongAdder();
    private final LongAdder nanos = new LongAdder();
    private final int bytes;
    private final String count;

    private Garbage(int bytes, String count) {
        this.bytes = bytes;
        this.count = count;
    }

    static void register(ServletContext context) {
        String wanted = System.getProperty("prony.garbage");
        String count = System.getProperty("prony.garbage.count");
        if (wanted != null && count != null) {
            Garbage garbage = new Garbage(Integer.parseInt(wanted), count);
            context.addFilter("garbage", garbage).addMappingForUrlPatterns(null, false, "/*");
        }
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        requests.increment();
        if (ThreadLocalRandom.current().nextInt(ONE_IN) == 0) {
            allocateAndCount();
        } else {
            allocate();
        }
        chain.doFilter(request, response);
    }

    private void allocateAndCount() {
        clocks.getCurrentThreadCpuTime(); // The first reading has cold caches, so the second would look cheap beside it.
        long before = clocks.getCurrentThreadCpuTime();
        long begun = clocks.getCurrentThreadCpuTime();
        allocate();
        long ended = clocks.getCurrentThreadCpuTime();
        seen.increment();
        if (seen.sum() > WARM) {
            samples.increment();
            // Each of the two differences contains one reading of the clock.
            nanos.add(ended - begun - (begun - before));
        }
    }

    private void allocate() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        for (int left = bytes; left > 0; left -= OBJECT) {
            kept.lazySet(random.nextInt(KEPT), new byte[Math.min(left, OBJECT)]);
        }
    }

    /** Writes the count when the server stops. */
    @Override
    public void destroy() {
        long collections = 0;
        long pauses = 0;
        for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            collections += collector.getCollectionCount();
            pauses += collector.getCollectionTime();
        }
        Count.append(count, bytes, samples.sum(), nanos.sum(), requests.sum(), collectorNanos(), collections, pauses);
    }

    /** The CPU time of the collector's threads, by the kernel's clock of each thread of this process. */
    private static long collectorNanos() {
        long sum = 0;
        File[] tasks = new File("/proc/self/task").listFiles();
        for (File task : tasks == null ? new File[0] : tasks) {
            try {
                String name = read(task.toPath().resolve("comm"));
                // The serial collector runs in the VM thread.
                if (name.startsWith("GC Thread") || name.startsWith("G1 ") || name.startsWith("VM Thread")) {
                    sum += Long.parseLong(read(task.toPath().resolve("schedstat")).split(" ")[0]);
                }
            } catch (IOException ended) {
                // A thread that has ended in the meantime is none of the collector's.
                continue;
            }
        }
        return sum;
    }

    private static String read(Path path) throws IOException {
        return new String(Files.readAllBytes(path), StandardCharsets.UTF_8).trim();
    }

    @Override
    public void init(FilterConfig config) {}
}
