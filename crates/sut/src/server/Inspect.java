import com.sun.management.GarbageCollectorMXBean;
import com.sun.management.GcInfo;
import com.sun.tools.attach.VirtualMachine;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
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
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
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
    /** In every server, a thread that answers a request has one of these on its stack: a servlet or a filter. */
    static final String SERVLET = "servlet.http.HttpServlet";
    static final String FILTER = "doFilter";

    final MBeanServerConnection server;
    final String port;
    final Path folder;
    final Dumps dumps;
    FlightRecorderMXBean recorder;
    long recording;
    Instant begun;

    Inspect(MBeanServerConnection server, String port, Path folder) {
        this.server = server;
        this.port = port;
        this.folder = folder;
        this.dumps = new Dumps(server, folder);
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
            inspect.dumps.takeUntil(new CountDownLatch(0));
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
        System.out.println(String.join("\t", words));
    }

    /** Dumps threads for a while. */
    void idle() throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        Thread dumping = new Thread(() -> dumps.takeUntil(ended));
        dumping.start();
        Thread.sleep(IDLE);
        ended.countDown();
        dumping.join();
        dumps.tell();
    }

    /** Reads counters and dumps threads until the end, which is the next line on stdin whatever it contains. */
    void watch(BufferedReader orders) throws Exception {
        begun = Instant.now();
        CountDownLatch ended = new CountDownLatch(1);
        Thread[] watching = {new Thread(() -> poll(ended)), new Thread(() -> dumps.takeUntil(ended))};
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
        dumps.tell();
        heap();
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
        try {
            do {
                pool();
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
            if (info == null || info.getId() == 0 || collector.getName().contains("Pauses")) {
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
        MemoryMXBean memory = bean(new ObjectName(ManagementFactory.MEMORY_MXBEAN_NAME), MemoryMXBean.class);
        if (live >= 0) {
            say("heap", Long.toString(live), Long.toString(memory.getHeapMemoryUsage().getMax()));
        }
    }

    /** Whether a collector of this name collects young objects only. */
    static boolean isOfYoung(String collector) {
        // Serial, Parallel, G1, CMS, generational ZGC.
        return Set.of("Copy", "PS Scavenge", "G1 Young Generation", "ParNew", "ZGC Minor Cycles").contains(collector);
    }

    <T extends java.lang.management.PlatformManagedObject> T bean(ObjectName name, Class<T> kind) throws IOException {
        return ManagementFactory.newPlatformMXBeanProxy(server, name.toString(), kind);
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
        settings.put("jdk.ZAllocationStall#enabled", "true");
        settings.put("jdk.ZAllocationStall#threshold", "1 ms");
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
                case "jdk.ZAllocationStall" -> add("stall", event.getString("type"), event);
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

    /** Thread dumps of the server at several moments, with equal stacks put together. */
    static class Dumps {
        /** The least time between two dumps in the mean, in milliseconds. */
        static final int PERIOD = 200;
        /** A dump stops all threads, so there is a pause of this many times its length after each. */
        static final int PAUSE = 9;
        /** How many methods of a stack are kept: innermost and outermost ones. The latter tell whether it answers a request. */
        static final int INNER = 60;
        static final int OUTER = 20;
        /** How many different stacks are told; the rarer ones are put together without their methods. */
        static final int STACKS = 1000;
        /** The outermost method of every virtual thread. */
        static final String VIRTUAL = "java.lang.VirtualThread.run";

        final MBeanServerConnection server;
        final Path folder;
        /** Dumps as the server wrote them: platform threads as text, virtual threads as JSON. They are read when the load is over. */
        final List<Path> texts = new ArrayList<>();
        final List<Path> trees = new ArrayList<>();
        /** The number of threads with the same stack in the same state, by what is told of them. */
        final Map<String, long[]> stacks = new HashMap<>();
        /** Whether this JVM can list virtual threads. */
        boolean listsVirtual = true;

        Dumps(MBeanServerConnection server, Path folder) {
            this.server = server;
            this.folder = folder;
        }

        /** Takes at least one dump. Their distances vary evenly, so that they do not meet the same phase of something periodic. */
        void takeUntil(CountDownLatch ended) {
            double phase = 0;
            long pause;
            try {
                do {
                    long begun = System.nanoTime();
                    take();
                    long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
                    phase = (phase + 0.618034) % 1; // the golden section: no two phases are ever close
                    pause = (long) ((0.5 + phase) * Math.max(PERIOD - took, PAUSE * took));
                } while (!ended.await(pause, TimeUnit.MILLISECONDS));
            } catch (Exception thisJvmDoesNotSay) {
                say("failed", thisJvmDoesNotSay.toString());
            }
        }

        void take() throws Exception {
            String text = (String) server.invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), "threadPrint",
                new Object[] {new String[0]}, new String[] {String[].class.getName()});
            Path file = folder.resolve("threads" + texts.size() + ".txt");
            texts.add(Files.writeString(file, text));
            if (!listsVirtual) {
                return;
            }
            Path tree = folder.resolve("threads" + trees.size() + ".json");
            try {
                server.invoke(new ObjectName("com.sun.management:type=HotSpotDiagnostic"), "dumpThreads",
                    new Object[] {tree.toString(), "JSON"}, new String[] {String.class.getName(), String.class.getName()});
                trees.add(tree);
            } catch (JMException olderThan21WhichHasNoVirtualThreads) {
                listsVirtual = false;
            }
        }

        /** Prints how many dumps there are and what threads did in them, the most frequent stacks first, and forgets them. */
        void tell() throws IOException {
            for (Path text : texts) {
                addText(text);
            }
            for (Path tree : trees) {
                try (Reader reader = Files.newBufferedReader(tree)) {
                    new Json(reader, this::addVirtual).value();
                }
            }
            say("dumps", Integer.toString(texts.size()));
            List<Map.Entry<String, long[]>> all = new ArrayList<>(stacks.entrySet());
            all.sort((one, other) -> Long.compare(other.getValue()[0], one.getValue()[0]));
            stacks.clear();
            for (int i = 0; i < all.size(); i++) {
                String[] words = all.get(i).getKey().split("\t", 6);
                String rare = String.join("\t", words[0], words[1], words[2], "-", "-", "");
                stacks.computeIfAbsent(i < STACKS ? all.get(i).getKey() : rare, key -> new long[1])[0] += all.get(i).getValue()[0];
            }
            stacks.forEach((stack, count) -> say("stack", Long.toString(count[0]), stack));
            forget();
        }

        void forget() throws IOException {
            for (List<Path> files : List.of(texts, trees)) {
                for (Path file : files) {
                    Files.deleteIfExists(file);
                }
                files.clear();
            }
            stacks.clear();
        }

        /** Adds the threads of a dump in HotSpot's form: a line with the quoted name, one with the state, and one for each method. */
        void addText(Path text) throws IOException {
            StackOf thread = null;
            for (String line : Files.readAllLines(text)) {
                if (line.startsWith("\"")) {
                    add(thread);
                    thread = new StackOf(line.substring(1, Math.max(1, line.lastIndexOf("\" "))), "platform");
                } else if (line.startsWith("JNI global ref")) {
                    break; // Deadlocks may follow, with the same threads again.
                } else if (thread != null) {
                    thread.read(line);
                }
            }
            add(thread);
        }

        /** Adds a thread of a dump in JSON if it is virtual. Its state, and what it waits for, are there since JDK 25. */
        void addVirtual(Map<String, Object> tree) {
            StackOf thread = new StackOf(String.valueOf(tree.get("name")), "virtual");
            for (Object frame : (List<?>) tree.get("stack")) {
                thread.frames.add(method(String.valueOf(frame)));
            }
            if (thread.frames.isEmpty() || !thread.frames.get(thread.frames.size() - 1).equals(VIRTUAL)) {
                return;
            }
            thread.state = state(String.valueOf(tree.get("state")));
            Object parked = tree.get("parkBlocker");
            Object[] objects = {parked instanceof Map<?, ?> blocker ? blocker.get("object") : parked, tree.get("blockedOn"),
                tree.get("waitingOn")};
            for (Object object : objects) {
                thread.waitsFor = object == null ? thread.waitsFor : type(object.toString());
            }
            if (tree.get("monitorsOwned") instanceof List<?> monitors) {
                for (Object monitor : monitors) {
                    if (monitor instanceof Map<?, ?> owned && owned.get("locks") instanceof List<?> locks) {
                        locks.forEach(lock -> thread.holds.add(type(String.valueOf(lock))));
                    }
                }
            }
            add(thread);
        }

        void add(StackOf thread) {
            if (thread != null && !thread.frames.isEmpty()) {
                stacks.computeIfAbsent(thread.told(), key -> new long[1])[0]++;
            }
        }

        static String state(String name) {
            return switch (name) {
                case "RUNNABLE" -> "runnable";
                case "BLOCKED" -> "blocked";
                case "WAITING", "TIMED_WAITING" -> "waiting";
                default -> "unknown";
            };
        }

        /** The class of an object that is told as {@code java.lang.Object@1b2c3d}. */
        static String type(String object) {
            int at = object.lastIndexOf('@');
            return at < 0 ? object : object.substring(0, at);
        }

        /** The method of a line such as {@code java.base/java.lang.Thread.run(Thread.java:1583)}, without addresses of hidden classes. */
        static String method(String frame) {
            String name = frame.substring(0, frame.indexOf('(') < 0 ? frame.length() : frame.indexOf('('));
            name = name.replaceAll("(\\$\\$Lambda|\\$[A-Z]+)(\\$\\d+)?/0x[0-9a-f]+|/0x[0-9a-f]+", "$1");
            return name.substring(name.lastIndexOf('/') + 1);
        }
    }

    /** What a dump tells of a thread. */
    static class StackOf {
        final String name;
        final String kind;
        final List<String> frames = new ArrayList<>();
        final List<String> holds = new ArrayList<>();
        String state = "unknown";
        String waitsFor;
        /** The address of the object that it waits for. */
        String address;
        /** Whether the rest is that of the virtual thread that it carries. */
        boolean ended;

        StackOf(String name, String kind) {
            this.name = name;
            this.kind = kind;
        }

        /** Reads a line behind the first one of a thread in a dump in HotSpot's form. */
        void read(String line) {
            String words = line.strip();
            if (words.startsWith("Mounted virtual thread")) {
                ended = true;
            } else if (ended) {
                return;
            } else if (words.startsWith("java.lang.Thread.State: ")) {
                state = Dumps.state(words.split(" ")[1]);
            } else if (words.startsWith("Carrying virtual thread")) {
                state = "waiting"; // for the virtual thread, which is listed apart from it
            } else if (words.startsWith("at ")) {
                frames.add(Dumps.method(words.substring(3)));
            } else if (words.startsWith("- ") && words.endsWith(")")) {
                object(words);
            }
        }

        /** Reads a line such as {@code - waiting to lock <0x000000071a9b9c60> (a java.lang.Object)}. */
        void object(String words) {
            int from = words.indexOf('<');
            int to = words.indexOf('>');
            int a = words.indexOf("(a ", to);
            if (from < 0 || to < from || a < 0) {
                return;
            }
            String which = words.substring(from, to);
            String type = words.substring(a + 3, words.length() - 1);
            if (!words.startsWith("- locked")) {
                address = which;
                waitsFor = type;
            } else if (!which.equals(address)) {
                holds.add(type);
            }
        }

        /** The words that are told of it; threads with the same words are counted together. */
        String told() {
            List<String> words = new ArrayList<>(List.of(kind, state, plain(name).replaceAll("\\d+", "#"),
                waitsFor == null ? "-" : plain(waitsFor), holds.isEmpty() ? "-" : plain(String.join(";", holds))));
            int rest = frames.size() - Dumps.INNER - Dumps.OUTER;
            words.addAll(rest <= 0 ? frames : frames.subList(0, Dumps.INNER));
            words.addAll(rest <= 0 ? List.of() : frames.subList(frames.size() - Dumps.OUTER, frames.size()));
            return String.join("\t", words);
        }

        /** A text without tabs and line ends. */
        static String plain(String text) {
            return text.replaceAll("\\p{Cntrl}", " ");
        }
    }

    /** Reads JSON. Every object with a {@code stack} is given away as soon as it is read, because there may be very many. */
    static class Json {
        final Reader reader;
        final Consumer<Map<String, Object>> threads;
        int next;

        Json(Reader reader, Consumer<Map<String, Object>> threads) throws IOException {
            this.reader = reader;
            this.threads = threads;
            next = reader.read();
        }

        Object value() throws IOException {
            switch (peek()) {
                case '{': return object();
                case '[': return list();
                case '"': return text();
                default: return word();
            }
        }

        Map<String, Object> object() throws IOException {
            Map<String, Object> object = new HashMap<>();
            for (take('{'); peek() != '}'; skip(',')) {
                String key = text();
                skip(':');
                object.put(key, value());
            }
            take('}');
            if (!object.containsKey("stack")) {
                return object;
            }
            threads.accept(object);
            return null;
        }

        List<Object> list() throws IOException {
            List<Object> list = new ArrayList<>();
            for (take('['); peek() != ']'; skip(',')) {
                Object value = value();
                if (value != null) {
                    list.add(value);
                }
            }
            take(']');
            return list;
        }

        String text() throws IOException {
            StringBuilder text = new StringBuilder();
            for (take('"'); next != '"'; next = reader.read()) {
                if (next == '\\') {
                    next = reader.read();
                    text.append(next == 'n' || next == 't' || next == 'r' ? ' ' : next == 'u' ? unicode() : (char) next);
                } else {
                    text.append(read());
                }
            }
            take('"');
            return text.toString();
        }

        /** The character of an escape, of which the last digit is not taken yet. */
        char unicode() throws IOException {
            int code = 0;
            for (int digit = 0; digit < 4; digit++) {
                next = reader.read();
                code = 16 * code + Character.digit(read(), 16);
            }
            return (char) code;
        }

        /** A number, a truth, or nothing. */
        String word() throws IOException {
            StringBuilder word = new StringBuilder();
            for (; next == '-' || next == '+' || next == '.' || Character.isLetterOrDigit(next); next = reader.read()) {
                word.append(read());
            }
            if (word.isEmpty()) {
                throw new IOException("no JSON");
            }
            return word.toString().equals("null") ? null : word.toString();
        }

        char read() throws IOException {
            if (next < 0) {
                throw new IOException("cut off");
            }
            return (char) next;
        }

        int peek() throws IOException {
            while (Character.isWhitespace(next)) {
                next = reader.read();
            }
            return next;
        }

        void take(char wanted) throws IOException {
            if (peek() != wanted) {
                throw new IOException("no JSON");
            }
            next = reader.read();
        }

        void skip(char separator) throws IOException {
            if (peek() == separator) {
                next = reader.read();
            }
        }
    }
}
