import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ClassLoadingMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;

/** What a JVM holds before a load and after it, both times without one: what has grown is kept by requests that are over. */
class Holdings {
    /** Heaps with more in use are not counted by class, because that stops the server for long. */
    static final long LARGEST = 2L << 30;
    /** How many classes are told, those that have grown most. */
    static final int CLASSES = 20;
    /** What keeps the heap is looked for where so many per cent of it live, or so many bytes are new, up to so many in all: a dump has to be read twice. */
    static final long FULL_PERCENT = 35;
    static final long GROWN = 6 << 20;
    static final long DUMPED = 512 << 20;
    static final Pattern ROW = Pattern.compile("\\s*\\d+:\\s+(\\d+)\\s+(\\d+)\\s+(\\S+).*");

    final MBeanServerConnection server;
    final Path folder;
    /** The number of objects and their bytes, by class, before the load. */
    Map<String, long[]> before = Map.of();

    Holdings(MBeanServerConnection server, Path folder) {
        this.server = server;
        this.folder = folder;
    }

    /** Prints what it holds before the load. */
    void before() throws Exception {
        before = objects();
        tell(before);
    }

    /** Prints what it holds after the load, and of which classes there is more. */
    void after() throws Exception {
        Map<String, long[]> after = objects();
        tell(after);
        List<Map.Entry<String, long[]>> grown = new ArrayList<>();
        after.forEach((name, now) -> {
            long[] then = before.getOrDefault(name, new long[2]);
            grown.add(Map.entry(name, new long[] {now[0] - then[0], now[1] - then[1]}));
        });
        grown.removeIf(one -> one.getValue()[1] <= 0);
        grown.sort((one, other) -> Long.compare(other.getValue()[1], one.getValue()[1]));
        for (Map.Entry<String, long[]> one : grown.subList(0, before.isEmpty() ? 0 : Math.min(CLASSES, grown.size()))) {
            Inspect.say("grown", one.getKey(), Long.toString(one.getValue()[0]), Long.toString(one.getValue()[1]));
        }
        keeper(bytes(after), before.isEmpty() ? 0 : bytes(after) - bytes(before));
    }

    static long bytes(Map<String, long[]> objects) {
        return objects.values().stream().mapToLong(one -> one[1]).sum();
    }

    /** Prints what keeps most of the heap, where much of it lives or is new. The JVM writes a dump for it, which may have secrets in it and is deleted at once. */
    void keeper(long live, long grown) throws Exception {
        long most = bean(ManagementFactory.MEMORY_MXBEAN_NAME, MemoryMXBean.class).getHeapMemoryUsage().getMax();
        if (live > DUMPED || live * 100 < most * FULL_PERCENT && grown < GROWN) {
            return;
        }
        Path file = folder.resolve("heap.hprof");
        try {
            bean("com.sun.management:type=HotSpotDiagnostic", HotSpotDiagnosticMXBean.class).dumpHeap(file.toString(), true);
            Keepers.tell(file);
        } finally {
            Files.deleteIfExists(file);
        }
    }

    /** Prints threads, classes, metaspace, direct buffers, descriptors and live bytes of the heap. */
    void tell(Map<String, long[]> objects) throws Exception {
        long live = bytes(objects);
        String threads = Integer.toString(bean(ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class).getThreadCount());
        String classes = Integer.toString(bean(ManagementFactory.CLASS_LOADING_MXBEAN_NAME, ClassLoadingMXBean.class).getLoadedClassCount());
        Inspect.say("held", threads, classes, metaspace(), direct(), descriptors(), objects.isEmpty() ? "-" : Long.toString(live));
    }

    String metaspace() throws Exception {
        for (ObjectName name : server.queryNames(new ObjectName("java.lang:type=MemoryPool,name=Metaspace"), null)) {
            return Long.toString(bean(name.toString(), MemoryPoolMXBean.class).getUsage().getUsed());
        }
        return "-";
    }

    String direct() throws Exception {
        for (ObjectName name : server.queryNames(new ObjectName("java.nio:type=BufferPool,name=direct"), null)) {
            return Long.toString(bean(name.toString(), BufferPoolMXBean.class).getMemoryUsed());
        }
        return "-";
    }

    String descriptors() throws Exception {
        return String.valueOf(server.getAttribute(new ObjectName(ManagementFactory.OPERATING_SYSTEM_MXBEAN_NAME), "OpenFileDescriptorCount"));
    }

    /** The number of live objects and their bytes, by class, after a full collection; empty where the heap is too large for that. */
    Map<String, long[]> objects() throws Exception {
        if (bean(ManagementFactory.MEMORY_MXBEAN_NAME, MemoryMXBean.class).getHeapMemoryUsage().getUsed() > LARGEST) {
            return Map.of();
        }
        String text = (String) server.invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram",
            new Object[] {new String[0]}, new String[] {String[].class.getName()});
        Map<String, long[]> objects = new HashMap<>();
        for (String line : text.split("\n")) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                long[] all = objects.computeIfAbsent(Recorded.readable(row.group(3)), key -> new long[2]);
                all[0] += Long.parseLong(row.group(1));
                all[1] += Long.parseLong(row.group(2));
            }
        }
        return objects;
    }

    <T> T bean(String name, Class<T> kind) throws Exception {
        return ManagementFactory.newPlatformMXBeanProxy(server, name, kind);
    }
}
