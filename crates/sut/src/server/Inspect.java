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
 * Looks into a JVM while it is loaded: {@code java Inspect.java PID PORT FOLDER}. It reads the orders {@code record},
  * {@code begin} and {@code end} from stdin. It answers {@code ready}, {@code recording} or {@code norecording WHY}; after the
  * end it prints what it saw in between, one fact per line with words separated by tabs, up to {@code done}. An unknown value
  * is {@code -}.
 */
class Inspect {
    /** The time between two readings of the server's counters, in milliseconds. */
    static final int PERIOD = 100;
    /** The time from the begin to the thread dump, in milliseconds. There is one dump, because it stops all threads. */
    static final int DUMP = 300;
    /** JFR records a wait when it ends: so the recording continues for this many milliseconds after the end. */
    static final int REST = 1000;
    /** In every server, a thread that answers a request has one of these on its stack: a servlet or a filter. */
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
            inspect.pool(); // The first reading loads classes in both JVMs, so do it before anything is timed.
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

    /** Reads counters until the end, which is the next line on stdin whatever it contains. */
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

    /** Prints the number of platform threads and of virtual threads, and how many of each answer a request. */
    void threads() throws Exception {
        Path file = folder.resolve("inspect.threads");
        int[] counts = new int[4];
        try {
            server.invoke(new ObjectName("com.sun.management:type=HotSpotDiagnostic"), "dumpThreads",
                new Object[] {file.toString(), "TEXT_PLAIN"}, new String[] {"java.lang.String", "java.lang.String"});
            count(Files.readAllLines(file), counts);
            Files.delete(file);
        } catch (JMException olderThan21WhichHasNoVirtualThreads) {
            ThreadMXBean all = ManagementFactory.newPlatformMXBeanProxy(
                server, ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class);
            for (ThreadInfo thread : all.dumpAllThreads(false, false)) {
                counts[0]++;
                for (StackTraceElement frame : thread.getStackTrace()) {
                    if (answers(frame.getClassName(), frame.getMethodName())) {
                        counts[2]++;
                        break;
                    }
                }
            }
        }
        say("threads", counts[0] + "\t" + counts[1] + "\t" + counts[2] + "\t" + counts[3]);
    }

    /** Counts the threads of a dump: each is a line {@code #7 "name" virtual} and an indented line for each frame. */
    static void count(List<String> dump, int[] counts) {
        int kind = -1;
        boolean counted = true;
        for (String line : dump) {
            if (line.startsWith("#")) {
                kind = line.contains("\" virtual") ? 1 : 0;
                counts[kind]++;
                counted = false;
            } else if (!counted && (line.contains(SERVLET + ".") || line.contains("." + FILTER + "("))) {
                counts[2 + kind]++;
                counted = true;
            }
        }
    }

    /** Whether a thread with this method on its stack answers a request. */
    static boolean answers(String type, String method) {
        return type.endsWith(SERVLET) || method.equals(FILTER);
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

    /** Sums up a recording between begin and end. */
    static class Recorded {
        final Instant begin;
        final Instant end;
        final Path ours;
        /** The number of waits and their total in nanoseconds, by kind and name. */
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
                    // Idle threads of a pool are parked as well, so count only those that answer.
                    if (answers(event)) {
                        add("parked", name(event.getClass("parkedClass")), event);
                    }
                }
                case "jdk.SocketRead" -> {
                    if (answers(event)) {
                        add("socket", event.getString("address") + ":" + event.getInt("port"), event);
                    }
                }
                // A write only has to reach the page cache; FileForce is what waits for the disk.
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

        /** The name of a lock: the class of its object; for a plain Object also the method that waits for it. */
        static String monitor(RecordedEvent event) {
            String kind = name(event.getClass("monitorClass"));
            return kind.equals("java.lang.Object") ? kind + " in " + place(event) : kind;
        }

        /** Why a virtual thread was pinned, where the JDK tells it (24 and later), else the method in which. */
        static String pinned(RecordedEvent event) {
            boolean says = event.hasField("pinnedReason") && event.getString("pinnedReason") != null;
            return says ? event.getString("pinnedReason") : place(event);
        }

        /** The topmost method on the stack that is not part of the JDK. */
        static String place(RecordedEvent event) {
            for (RecordedFrame frame : frames(event)) {
                String type = frame.getMethod().getType().getName();
                if (!type.startsWith("java.") && !type.startsWith("jdk.") && !type.startsWith("sun.")) {
                    return type + "." + frame.getMethod().getName();
                }
            }
            return "-";
        }

        /** Whether the thread answers a request: virtual threads do, platform threads according to their stack. */
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
