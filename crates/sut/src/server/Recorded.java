import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/** Sums up a recording between begin and end. */
class Recorded {
    /** In every server, a thread that answers a request has one of these on its stack: a servlet or a filter. */
    static final String SERVLET = "servlet.http.HttpServlet";
    static final String FILTER = "doFilter";

    final Instant begin;
    final Instant end;
    final Path ours;
    /** The number of waits and their total in nanoseconds, by kind and name. */
    final Map<String, long[]> waits = new TreeMap<>();
    double allocated;
    /** Threads that were seen to run Java code, by stack. */
    final Map<String, long[]> samples = new HashMap<>();
    /** Sleeps, and waits that have an end of their own, by the method that is not the JDK's. */
    final Map<String, Sleeps> sleeps = new TreeMap<>();
    /** Bytes allocated, by class and stack. */
    final Map<String, double[]> allocations = new HashMap<>();
    /** How many of these are told, those with most bytes. */
    static final int ALLOCATIONS = 200;

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
        waits.forEach((what, wait) -> Inspect.say(what, wait[0] + "\t" + wait[1] / 1e9));
        samples.entrySet().stream()
            .sorted((one, other) -> Long.compare(other.getValue()[0], one.getValue()[0])).limit(Dumps.STACKS)
            .forEach(one -> Inspect.say("sampled", Long.toString(one.getValue()[0]), one.getKey()));
        sleeps.forEach((method, all) -> Inspect.say("sleep", method, all.tell()));
        Inspect.say("allocated", Double.toString(allocated));
        allocations.entrySet().stream()
            .sorted((one, other) -> Double.compare(other.getValue()[0], one.getValue()[0])).limit(ALLOCATIONS)
            .forEach(one -> Inspect.say("allocation", Double.toString(one.getValue()[0]), one.getKey()));
    }

    /** The stack of a thread that runs, in the words of thread dumps. */
    static String stack(RecordedEvent event) {
        StackOf stack = new StackOf("", "platform");
        stack.state = "runnable";
        for (RecordedFrame frame : frames(event)) {
            String method = frame.getMethod().getType().getName() + "." + frame.getMethod().getName();
            stack.add(new Dumps.Place(Dumps.named(method), Math.max(0, frame.getLineNumber())));
        }
        return stack.toldWithLines();
    }

    /** Adds an allocation: what its sample stands for, its class, and its stack. */
    void allocation(RecordedEvent event) {
        long bytes = event.getLong("weight");
        allocated += bytes;
        List<String> words = new ArrayList<>(List.of(readable(name(event.getClass("objectClass"))), ""));
        List<String> lines = new ArrayList<>();
        for (RecordedFrame frame : frames(event)) {
            words.add(Dumps.named(frame.getMethod().getType().getName() + "." + frame.getMethod().getName()));
            lines.add(Integer.toString(Math.max(0, frame.getLineNumber())));
        }
        words.set(1, lines.isEmpty() ? "-" : String.join(",", lines));
        allocations.computeIfAbsent(String.join("\t", words), key -> new double[1])[0] += bytes;
    }

    /** The name of a class as it is in sources: {@code byte[]} for {@code [B}. */
    static String readable(String name) {
        int depth = 0;
        while (name.startsWith("[")) {
            name = name.substring(1);
            depth++;
        }
        if (depth > 0) {
            String part = name;
            name = name.startsWith("L") ? name.substring(1).replace(";", "")
                : Map.of("B", "byte", "C", "char", "I", "int", "J", "long", "S", "short", "Z", "boolean", "F", "float", "D", "double")
                    .getOrDefault(part, part);
        }
        return Dumps.named(name) + "[]".repeat(depth);
    }

    void take(RecordedEvent event) {
        switch (event.getEventType().getName()) {
            case "jdk.JavaMonitorEnter" -> add("monitor", monitor(event), event);
            case "jdk.VirtualThreadPinned" -> add("pinned", pinned(event), event);
            case "jdk.ExecutionSample" -> samples.computeIfAbsent(stack(event), key -> new long[1])[0]++;
            case "jdk.ThreadSleep" -> sleeps.computeIfAbsent(place(event), key -> new Sleeps()).add(event);
            case "jdk.ThreadPark" -> {
                if (event.getLong("timeout") > 0) {
                    sleeps.computeIfAbsent(place(event), key -> new Sleeps()).add(event);
                }
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
            case "jdk.SystemGC" -> add("asked", thread(event) + "\t" + placeWithLine(event) + "\t" + whoAsks(event), event);
            case "jdk.ZAllocationStall" -> add("stall", event.hasField("type") ? event.getString("type") : "-", event);
            case "jdk.ObjectAllocationSample" -> allocation(event);
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

    /** The topmost method on the stack that is not part of the JDK, with its line. */
    static String placeWithLine(RecordedEvent event) {
        String place = place(event);
        for (RecordedFrame frame : frames(event)) {
            if (place.equals(frame.getMethod().getType().getName() + "." + frame.getMethod().getName()) && frame.getLineNumber() > 0) {
                return place + ":" + frame.getLineNumber();
            }
        }
        return place;
    }

    /** Who asks for a collection: the JDK, when no direct memory is left, or else the application. */
    static String whoAsks(RecordedEvent event) {
        boolean reserves = frames(event).stream().anyMatch(frame -> frame.getMethod().getType().getName().equals("java.nio.Bits"));
        return reserves ? "direct" : "application";
    }

    /** The name of the thread, with a sign for each number. */
    static String thread(RecordedEvent event) {
        RecordedThread thread = event.getThread();
        String name = thread == null || thread.getJavaName() == null ? "-" : thread.getJavaName();
        return StackOf.plain(name).replaceAll("\\d+", "#");
    }

    /** Whether the thread answers a request: virtual threads do, platform threads according to their stack. */
    static boolean answers(RecordedEvent event) {
        RecordedThread thread = event.getThread();
        if (thread != null && thread.hasField("virtual") && thread.getBoolean("virtual")) {
            return true;
        }
        for (RecordedFrame frame : frames(event)) {
            if (answers(frame.getMethod().getType().getName(), frame.getMethod().getName())) {
                return true;
            }
        }
        return false;
    }

    static List<RecordedFrame> frames(RecordedEvent event) {
        return event.getStackTrace() == null ? List.of() : event.getStackTrace().getFrames();
    }

    /** Whether a thread with this method on its stack answers a request. */
    static boolean answers(String type, String method) {
        return type.endsWith(SERVLET) || method.equals(FILTER);
    }
}

/** The sleeps in one method. */
class Sleeps {
    /** When they ended, in nanoseconds since the epoch. */
    final List<Long> ends = new ArrayList<>();
    double seconds;

    void add(RecordedEvent event) {
        Instant end = event.getEndTime();
        ends.add(end.getEpochSecond() * 1_000_000_000 + end.getNano());
        seconds += event.getDuration().toNanos() / 1e9;
    }

    /** Their number, their seconds, and the spread of the times between two ends, as a part of the mean of these times. */
    String tell() {
        List<Long> sorted = ends.stream().sorted().toList();
        double sum = 0;
        double squares = 0;
        for (int i = 1; i < sorted.size(); i++) {
            double gap = (sorted.get(i) - sorted.get(i - 1)) / 1e9;
            sum += gap;
            squares += gap * gap;
        }
        int gaps = sorted.size() - 1;
        double mean = sum / Math.max(1, gaps);
        double spread = mean > 0 ? Math.sqrt(Math.max(0, squares / gaps - mean * mean)) / mean : -1;
        return String.join("\t", Integer.toString(sorted.size()), Double.toString(seconds), spread < 0 ? "-" : Double.toString(spread));
    }
}
