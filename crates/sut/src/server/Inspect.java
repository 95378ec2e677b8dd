import com.sun.tools.attach.VirtualMachine;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;
import jdk.management.jfr.FlightRecorderMXBean;

/**
 * Looks into a JVM while it is loaded: {@code java Inspect.java PID PORT FOLDER}. On stdin it is told {@code record},
 * {@code begin}, {@code end}; it answers {@code ready}, {@code recording} or {@code norecording WHY}, and after the end what
 * it saw in between, one fact a line, words parted by tabs, up to {@code done}. What nobody tells is {@code -}.
 */
class Inspect {
    /** Between two looks at the server's own counters, milliseconds. */
    static final int PERIOD = 100;
    /** When after the begin threads are dumped: once, because everything stands still meanwhile. */
    static final int DUMP = 300;
    /** A wait is recorded when it ends: so long the recording goes on for those under way at the end, milliseconds. */
    static final int REST = 1000;
    /** Of these one is on the stack of every thread that answers a request, in all the servers there are: a servlet, or what
     * runs before it. */
    static final String SERVLET = "servlet.http.HttpServlet";
    static final String FILTER = "doFilter";

    final MBeanServerConnection server;
    final String port;
    final Path folder;
    FlightRecorderMXBean recorder;
    long recording;
    Instant begun;

    Inspect(MBeanServerConnection server, String port, Path folder) {
        this.server = server;
        this.port = port;
        this.folder = folder;
    }

    public static void main(String[] args) throws Exception {
        VirtualMachine machine = VirtualMachine.attach(args[0]);
        String address = machine.startLocalManagementAgent();
        machine.detach();
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in));
        try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(address))) {
            Inspect inspect = new Inspect(connector.getMBeanServerConnection(), args[1], Path.of(args[2]));
            inspect.pool(); // The first look loads classes on both sides.
            say("ready");
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                if (order.equals("record")) {
                    say(inspect.record());
                } else if (order.equals("begin")) {
                    inspect.watch(orders);
                    say("done");
                }
            }
        }
    }

    static void say(String... words) {
        System.out.println(String.join("\t", words));
    }

    /** From the begin to the end, which is the next line whatever it says. */
    void watch(BufferedReader orders) throws Exception {
        begun = Instant.now();
        CountDownLatch ended = new CountDownLatch(1);
        Thread poll = new Thread(() -> poll(ended));
        poll.start();
        orders.readLine();
        Instant end = Instant.now();
        ended.countDown();
        poll.join();
        say("seconds", seconds(Duration.between(begun, end)));
        if (recorder != null) {
            Thread.sleep(REST);
            Path file = folder.resolve("inspect.jfr");
            recorder.stopRecording(recording);
            recorder.copyTo(recording, file.toString());
            recorder.closeRecording(recording);
            recorder = null;
            new Recorded(begun, end, folder).tell(file);
            Files.delete(file);
        }
    }

    void poll(CountDownLatch ended) {
        boolean dumped = false;
        try {
            do {
                pool();
                if (!dumped && Duration.between(begun, Instant.now()).toMillis() >= DUMP) {
                    dumped = true;
                    threads();
                }
            } while (!ended.await(PERIOD, TimeUnit.MILLISECONDS));
        } catch (Exception thisServerDoesNotSay) {
            say("failed", thisServerDoesNotSay.toString());
        }
    }

    /** Busy threads, threads, waiting tasks and connections of the pool that serves our port. */
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
            // Busy threads are also those that accept and select; utilized ones only those that answer.
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

    /** Less than nothing is how servers say that they do not know. */
    String number(ObjectName name, String attribute) throws Exception {
        try {
            long value = ((Number) server.getAttribute(name, attribute)).longValue();
            return value < 0 ? "-" : Long.toString(value);
        } catch (JMException thisVersionDoesNotSay) {
            return "-";
        }
    }

    /** Platform threads, virtual ones, and how many of each are answering a request. */
    void threads() throws Exception {
        Path file = folder.resolve("inspect.threads");
        int[] found = new int[4];
        try {
            server.invoke(new ObjectName("com.sun.management:type=HotSpotDiagnostic"), "dumpThreads",
                new Object[] {file.toString(), "TEXT_PLAIN"}, new String[] {"java.lang.String", "java.lang.String"});
            count(Files.readAllLines(file), found);
            Files.delete(file);
        } catch (JMException olderThan21WhichHasNoVirtualThreads) {
            ThreadMXBean all = ManagementFactory.newPlatformMXBeanProxy(
                server, ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class);
            for (ThreadInfo thread : all.dumpAllThreads(false, false)) {
                found[0]++;
                for (StackTraceElement frame : thread.getStackTrace()) {
                    if (answers(frame.getClassName(), frame.getMethodName())) {
                        found[2]++;
                        break;
                    }
                }
            }
        }
        say("threads", found[0] + "\t" + found[1] + "\t" + found[2] + "\t" + found[3]);
    }

    /** A thread is a line {@code #7 "name" virtual} and an indented line for each frame. */
    static void count(List<String> dump, int[] found) {
        int kind = -1;
        boolean counted = true;
        for (String line : dump) {
            if (line.startsWith("#")) {
                kind = line.contains("\" virtual") ? 1 : 0;
                found[kind]++;
                counted = false;
            } else if (!counted && (line.contains(SERVLET + ".") || line.contains("." + FILTER + "("))) {
                found[2 + kind]++;
                counted = true;
            }
        }
    }

    /** Whether a thread with this on its stack answers a request. */
    static boolean answers(String type, String method) {
        return type.endsWith(SERVLET) || method.equals(FILTER);
    }

    /** Starts a recording of what threads wait for; a JDK without the recorder says so. */
    String record() {
        Map<String, String> settings = new HashMap<>();
        for (String event : List.of("JavaMonitorEnter", "VirtualThreadPinned", "ThreadPark", "SocketRead", "FileWrite",
                "FileForce")) {
            settings.put("jdk." + event + "#enabled", "true");
            settings.put("jdk." + event + "#threshold", "1 ms");
            settings.put("jdk." + event + "#stackTrace", "true");
        }
        // One after the other they add up: behind a lock all others wait for the one that writes.
        settings.put("jdk.FileForce#threshold", "100 us");
        settings.put("jdk.ObjectAllocationSample#enabled", "true");
        settings.put("jdk.ObjectAllocationSample#throttle", "150/s");
        settings.put("jdk.ObjectAllocationSample#stackTrace", "false");
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

    /** What a recording says of the time between begin and end. */
    static class Recorded {
        final Instant begin;
        final Instant end;
        final Path ours;
        /** By kind and name: how often, and how long in nanoseconds. */
        final Map<String, long[]> waits = new TreeMap<>();
        double allocated;

        Recorded(Instant begin, Instant end, Path ours) {
            this.begin = begin;
            this.end = end;
            this.ours = ours;
        }

        void tell(Path file) throws Exception {
            try (RecordingFile events = new RecordingFile(file)) {
                while (events.hasMoreEvents()) {
                    RecordedEvent event = events.readEvent();
                    if (event.getEndTime().isAfter(begin) && event.getStartTime().isBefore(end)) {
                        take(event);
                    }
                }
            }
            waits.forEach((what, wait) -> say(what, wait[0] + "\t" + wait[1] / 1e9));
            say("allocated", Double.toString(allocated));
        }

        void take(RecordedEvent event) {
            switch (event.getEventType().getName()) {
                case "jdk.JavaMonitorEnter" -> add("monitor", monitor(event), event);
                case "jdk.VirtualThreadPinned" -> add("pinned", pinned(event), event);
                case "jdk.ThreadPark" -> {
                    // Threads of a pool that have nothing to do are parked as well.
                    if (answers(event)) {
                        add("parked", name(event.getClass("parkedClass")), event);
                    }
                }
                case "jdk.SocketRead" -> {
                    if (answers(event)) {
                        add("socket", event.getString("address") + ":" + event.getInt("port"), event);
                    }
                }
                // Written is soon what only has to reach the page cache; what waits for the disk is said to be forced there.
                case "jdk.FileWrite", "jdk.FileForce" -> {
                    String path = event.getString("path");
                    if (path != null && !Path.of(path).startsWith(ours)) {
                        add("file", path, event);
                    }
                }
                case "jdk.ObjectAllocationSample" -> allocated += event.getLong("weight");
                default -> { }
            }
        }

        void add(String kind, String name, RecordedEvent event) {
            Instant from = event.getStartTime().isBefore(begin) ? begin : event.getStartTime();
            Instant to = event.getEndTime().isAfter(end) ? end : event.getEndTime();
            long[] wait = waits.computeIfAbsent(kind + "\t" + name, key -> new long[2]);
            wait[0]++;
            wait[1] += Duration.between(from, to).toNanos();
        }

        static String name(RecordedClass kind) {
            return kind == null ? "-" : kind.getName();
        }

        /** A lock by the class of its object; one that is nothing but a lock by where it is waited for. */
        static String monitor(RecordedEvent event) {
            String kind = name(event.getClass("monitorClass"));
            return kind.equals("java.lang.Object") ? kind + " in " + place(event) : kind;
        }

        /** Why a carrier could not be given up, where the JDK says it (24 and later), else where. */
        static String pinned(RecordedEvent event) {
            boolean says = event.hasField("pinnedReason") && event.getString("pinnedReason") != null;
            return says ? event.getString("pinnedReason") : place(event);
        }

        /** The method that is not of the JDK. */
        static String place(RecordedEvent event) {
            for (RecordedFrame frame : frames(event)) {
                String type = frame.getMethod().getType().getName();
                if (!type.startsWith("java.") && !type.startsWith("jdk.") && !type.startsWith("sun.")) {
                    return type + "." + frame.getMethod().getName();
                }
            }
            return "-";
        }

        /** Virtual threads are made for requests; of the others the stack says it. */
        static boolean answers(RecordedEvent event) {
            RecordedThread thread = event.getThread();
            if (thread != null && thread.hasField("virtual") && thread.getBoolean("virtual")) {
                return true;
            }
            for (RecordedFrame frame : frames(event)) {
                if (Inspect.answers(frame.getMethod().getType().getName(), frame.getMethod().getName())) {
                    return true;
                }
            }
            return false;
        }

        static List<RecordedFrame> frames(RecordedEvent event) {
            return event.getStackTrace() == null ? List.of() : event.getStackTrace().getFrames();
        }
    }
}
