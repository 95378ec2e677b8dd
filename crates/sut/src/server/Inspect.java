import com.sun.management.GarbageCollectorMXBean;
import com.sun.management.GcInfo;
import com.sun.tools.attach.VirtualMachine;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import jdk.management.jfr.FlightRecorderMXBean;

/**
 * Looks into a JVM while it is loaded: {@code java Inspect.java PID PORT FOLDER}. It reads the orders {@code record},
 * {@code idle}, {@code begin} and {@code end} from stdin. It answers {@code ready}, {@code recording} or
 * {@code norecording WHY}; after {@code idle} and after the end it prints what it saw, one fact per line with words separated
 * by tabs, up to {@code done}. An unknown value is {@code -}.
 */
class Inspect {
    /** The time between two readings of the server's counters, in milliseconds. */
    static final int PERIOD = 100;
    /** The time for which a server without load is watched, in milliseconds. */
    static final int IDLE = 500;
    /** JFR records a wait when it ends: so the recording continues for this many milliseconds after the end. */
    static final int REST = 1000;

    /** Names of threads and classes may have any characters, whatever the locale is. */
    static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    final MBeanServerConnection server;
    final String port;
    final Path folder;
    final Dumps dumps;
    final Holdings holdings;
    FlightRecorderMXBean recorder;
    long recording;
    Instant begun;

    Inspect(MBeanServerConnection server, String port, Path folder) {
        this.server = server;
        this.port = port;
        this.folder = folder;
        this.dumps = new Dumps(server, folder);
        this.holdings = new Holdings(server, folder);
    }

    public static void main(String[] args) throws Exception {
        VirtualMachine machine = VirtualMachine.attach(args[0]);
        String address = machine.startLocalManagementAgent();
        machine.detach();
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in));
        try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(address))) {
            Inspect inspect = new Inspect(connector.getMBeanServerConnection(), args[1], Path.of(args[2]));
            // The first readings load classes in both JVMs, so do them before anything is timed.
            inspect.pool();
            attempt(() -> inspect.dumps.takeUntil(new CountDownLatch(0)));
            inspect.dumps.forget();
            say("ready");
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                if (order.equals("record")) {
                    say(inspect.record());
                } else if (order.equals("idle")) {
                    inspect.idle();
                    say("done");
                } else if (order.equals("begin")) {
                    inspect.watch(orders);
                    say("done");
                }
            }
        }
    }

    static void say(String... words) {
        OUT.println(String.join("\t", words));
    }

    /** Reads what the server holds, and dumps threads for a while. */
    void idle() throws Exception {
        attempt(holdings::before);
        CountDownLatch ended = new CountDownLatch(1);
        Thread dumping = new Thread(() -> attempt(() -> dumps.takeUntil(ended)));
        dumping.start();
        Thread.sleep(IDLE);
        ended.countDown();
        dumping.join();
        attempt(dumps::tell);
    }

    /** Reads counters and dumps threads until the end, which is the next line on stdin whatever it contains. */
    void watch(BufferedReader orders) throws Exception {
        begun = Instant.now();
        CountDownLatch ended = new CountDownLatch(1);
        Owners owners = new Owners(server);
        Thread[] watching = {new Thread(() -> attempt(() -> poll(ended))), new Thread(() -> attempt(() -> owners.lookUntil(ended))),
            new Thread(() -> attempt(() -> dumps.takeUntil(ended)))};
        for (Thread thread : watching) {
            thread.start();
        }
        orders.readLine();
        Instant end = Instant.now();
        ended.countDown();
        for (Thread thread : watching) {
            thread.join();
        }
        say("seconds", seconds(Duration.between(begun, end)));
        attempt(dumps::tell);
        owners.tell();
        attempt(this::deadlock);
        attempt(this::heap);
        if (recorder != null) {
            Thread.sleep(REST);
            attempt(() -> recorded(end));
            recorder = null;
        }
        attempt(holdings::after);
    }

    /** A part of what is printed. */
    interface Part {
        void print() throws Exception;
    }

    /** Prints a part, or why this server does not say it, which does not matter to the others. */
    static void attempt(Part part) {
        try {
            part.print();
        } catch (Exception thisServerDoesNotSay) {
            say("failed", thisServerDoesNotSay.toString());
        }
    }

    /** Prints what the recorder saw up to the end. */
    void recorded(Instant end) throws Exception {
        Path file = folder.resolve("inspect.jfr");
        recorder.stopRecording(recording);
        recorder.copyTo(recording, file.toString());
        recorder.closeRecording(recording);
        new Recorded(begun, end, folder).tell(file);
        Files.delete(file);
    }

    void poll(CountDownLatch ended) throws Exception {
        do {
            pool();
        } while (!ended.await(PERIOD, TimeUnit.MILLISECONDS));
    }

    /** Prints the busy threads, threads, waiting tasks and connections of the pool that serves our port. */
    void pool() throws Exception {
        String[] busyThreadsQueuedConnections = {"-", "-", "-", "-"};
        tomcat(busyThreadsQueuedConnections);
        jetty(busyThreadsQueuedConnections);
        undertow(busyThreadsQueuedConnections);
        if (begun != null) {
            Instant now = Instant.now();
            long nanos = now.getEpochSecond() * 1_000_000_000 + now.getNano();
            say("pool", Long.toString(nanos), String.join("\t", busyThreadsQueuedConnections));
        }
    }

    void tomcat(String[] pool) throws Exception {
        for (ObjectName name : named("*:type=ThreadPool,*")) {
            String connector = name.getKeyProperty("name");
            if (name.getKeyProperty("subType") == null && connector != null && connector.endsWith("-" + port + "\"")) {
                pool[0] = number(name, "currentThreadsBusy");
                pool[1] = number(name, "currentThreadCount");
                pool[3] = number(name, "connectionCount");
            }
        }
    }

    void jetty(String[] pool) throws Exception {
        for (ObjectName name : named("org.eclipse.jetty.util.thread:type=queuedthreadpool,*")) {
            // Busy threads include those that accept and select; utilized threads are only those that answer.
            pool[0] = number(name, "utilizedThreads");
            pool[1] = number(name, "threads");
            pool[2] = number(name, "queueSize");
        }
    }

    void undertow(String[] pool) throws Exception {
        for (ObjectName name : named("org.xnio:type=Xnio,*")) {
            String address = name.getKeyProperty("address");
            if (address == null) {
                pool[0] = number(name, "BusyWorkerThreadCount");
                pool[1] = number(name, "WorkerPoolSize");
                pool[2] = number(name, "WorkerQueueSize");
            } else if (address.contains(":" + port)) {
                pool[3] = number(name, "ConnectionCount");
            }
        }
    }

    Iterable<ObjectName> named(String pattern) throws Exception {
        return server.queryNames(new ObjectName(pattern), null);
    }

    /** The value of an attribute. Servers use negative numbers for unknown values. */
    String number(ObjectName name, String attribute) throws Exception {
        try {
            long value = ((Number) server.getAttribute(name, attribute)).longValue();
            return value < 0 ? "-" : Long.toString(value);
        } catch (JMException thisVersionDoesNotSay) {
            return "-";
        }
    }

    /** Prints how much of the heap was used after the last collection of old objects, or of any if there was none, and its size. */
    void heap() throws Exception {
        Set<String> pools = new HashSet<>();
        for (ObjectName name : named("java.lang:type=MemoryPool,*")) {
            MemoryPoolMXBean pool = bean(name, MemoryPoolMXBean.class);
            if (pool.getType() == MemoryType.HEAP) {
                pools.add(pool.getName());
            }
        }
        long[] last = {-1, -1};
        long live = -1;
        for (ObjectName name : named("java.lang:type=GarbageCollector,*")) {
            GarbageCollectorMXBean collector = bean(name, GarbageCollectorMXBean.class);
            GcInfo info = collector.getLastGcInfo();
            // Pauses are a part of a collection, and count apart from it.
            if (info == null || collector.getName().contains("Pauses")) {
                continue;
            }
            long[] when = {isOfYoung(collector.getName()) ? 0 : 1, info.getEndTime()};
            if (when[0] > last[0] || when[0] == last[0] && when[1] > last[1]) {
                last = when;
                live = 0;
                for (Map.Entry<String, MemoryUsage> after : info.getMemoryUsageAfterGc().entrySet()) {
                    live += pools.contains(after.getKey()) ? after.getValue().getUsed() : 0;
                }
            }
        }
        MemoryMXBean memory = bean(ManagementFactory.MEMORY_MXBEAN_NAME, MemoryMXBean.class);
        if (live >= 0) {
            say("heap", Long.toString(live), Long.toString(memory.getHeapMemoryUsage().getMax()));
        }
    }

    /** Prints the threads that wait for each other's locks, and so for ever. The JVM finds no virtual threads among them. */
    void deadlock() throws IOException {
        ThreadMXBean threads = bean(ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class);
        long[] stuck = threads.findDeadlockedThreads();
        if (stuck == null) {
            return;
        }
        for (ThreadInfo thread : threads.getThreadInfo(stuck, Dumps.INNER)) {
            if (thread == null || thread.getLockInfo() == null) {
                continue;
            }
            List<String> words = new ArrayList<>(List.of("stuck", StackOf.plain(thread.getThreadName()), thread.getLockInfo().getClassName(),
                StackOf.plain(String.valueOf(thread.getLockOwnerName())), ""));
            List<String> lines = new ArrayList<>();
            for (StackTraceElement frame : thread.getStackTrace()) {
                words.add(Dumps.named(frame.getClassName() + "." + frame.getMethodName()));
                lines.add(Integer.toString(Math.max(0, frame.getLineNumber())));
            }
            words.set(4, lines.isEmpty() ? "-" : String.join(",", lines));
            say(words.toArray(new String[0]));
        }
    }

    /** Whether a collector of this name collects young objects only. */
    static boolean isOfYoung(String collector) {
        // Of Serial, Parallel, G1 (whose concurrent part only finds out what is dead), CMS, and generational ZGC.
        return Set.of("Copy", "PS Scavenge", "G1 Young Generation", "G1 Concurrent GC", "ParNew", "ZGC Minor Cycles")
            .contains(collector);
    }

    <T> T bean(ObjectName name, Class<T> kind) throws IOException {
        return bean(name.toString(), kind);
    }

    <T> T bean(String name, Class<T> kind) throws IOException {
        return ManagementFactory.newPlatformMXBeanProxy(server, name, kind);
    }

    /** Starts a recording of what threads wait for, and returns the answer to the order. */
    String record() {
        Map<String, String> settings = new HashMap<>();
        for (String event : List.of("JavaMonitorEnter", "VirtualThreadPinned", "ThreadPark", "SocketRead", "FileWrite",
                "FileForce")) {
            settings.put("jdk." + event + "#enabled", "true");
            settings.put("jdk." + event + "#threshold", "1 ms");
            settings.put("jdk." + event + "#stackTrace", "true");
        }
        // Short ones matter too: behind a lock all other threads wait for the one that writes.
        settings.put("jdk.FileForce#threshold", "100 us");
        settings.put("jdk.ExecutionSample#enabled", "true");
        settings.put("jdk.ExecutionSample#period", "10 ms");
        settings.put("jdk.ExecutionSample#stackTrace", "true");
        settings.put("jdk.ThreadSleep#enabled", "true");
        settings.put("jdk.ThreadSleep#threshold", "1 ms");
        settings.put("jdk.ThreadSleep#stackTrace", "true");
        settings.put("jdk.SystemGC#enabled", "true");
        settings.put("jdk.SystemGC#threshold", "0 ms");
        settings.put("jdk.SystemGC#stackTrace", "true");
        settings.put("jdk.ZAllocationStall#enabled", "true");
        settings.put("jdk.ZAllocationStall#threshold", "1 ms");
        settings.put("jdk.ObjectAllocationSample#enabled", "true");
        settings.put("jdk.ObjectAllocationSample#throttle", "150/s");
        settings.put("jdk.ObjectAllocationSample#stackTrace", "true");
        try {
            recorder = ManagementFactory.newPlatformMXBeanProxy(
                server, "jdk.management.jfr:type=FlightRecorder", FlightRecorderMXBean.class);
            recording = recorder.newRecording();
            recorder.setRecordingSettings(recording, settings);
            recorder.startRecording(recording);
            return "recording";
        } catch (Exception why) {
            recorder = null;
            return "norecording\t" + why.getMessage();
        }
    }

    static String seconds(Duration duration) {
        return Double.toString(duration.toNanos() / 1e9);
    }
}
