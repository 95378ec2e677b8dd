import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.ReflectionException;

/** Thread dumps of the server at several moments, with equal stacks put together. */
class Dumps {
    /** The least time between two dumps in the mean, in milliseconds. */
    static final int PERIOD = 100;
    /** A dump stops all threads, so there is a pause of this many times its length after each. */
    static final int PAUSE = 9;
    /** How many methods of a stack are kept: innermost and outermost ones. The latter tell whether it answers a request. */
    static final int INNER = 60;
    static final int OUTER = 20;
    /** Fewest threads that run in one method at the same time for them to be told, and the most such methods. */
    static final int CROWD = 4;
    static final int CROWDS = 300;
    /** How many different stacks are told; the rarer ones are put together without their methods. */
    static final int STACKS = 1000;
    /** A method that every virtual thread has on its stack. */
    static final String VIRTUAL = "java.lang.VirtualThread.run";
    /** Of these texts one is in a dump of platform threads where virtual threads have run not long ago. */
    static final String[] CARRIERS = {"VirtualThread", "\"ForkJoinPool-1-worker-"};

    final MBeanServerConnection server;
    final Path folder;
    /** Dumps as the server wrote them, which are read when the load is over. */
    final List<Dump> dumps = new ArrayList<>();
    /** Threads with the same stack in the same state, by what is told of them. */
    final Map<String, Same> stacks = new HashMap<>();
    /** The threads that run in each method in the dump that is read. */
    final Map<String, Integer> running = new HashMap<>();
    /** The most threads that ran in a method in one dump, and in how many dumps some did. */
    final Map<String, int[]> crowds = new HashMap<>();
    /** The methods of lines of dumps. */
    final Map<String, Place> methods = new HashMap<>();
    /** Who holds the locks that virtual threads wait for. */
    final Virtuals virtuals = new Virtuals();
    /** Whether this JVM can list virtual threads. */
    boolean listsVirtual = true;
    /** How many files have been written, for their names. */
    int files;

    /** The files of a dump: platform threads as text, and where there may be virtual threads, these as JSON. */
    record Dump(Path text, Path tree) {
        void delete() throws IOException {
            Files.deleteIfExists(text);
            if (tree != null) {
                Files.deleteIfExists(tree);
            }
        }
    }

    /** A method, and the line of its source; 0 where that is not known, or does not matter. */
    record Place(String method, int line) { }

    /** Threads with the same methods in the same state. */
    static class Same {
        long threads;
        /** How many of them are at the same lines. */
        final Map<String, Long> lines = new HashMap<>();

        void add(String where) {
            threads++;
            lines.merge(where, 1L, Long::sum);
        }

        /** The lines at which most of them are. */
        String mostLines() {
            return lines.entrySet().stream().max(Map.Entry.comparingByValue()).map(Map.Entry::getKey).orElse("-");
        }
    }

    Dumps(MBeanServerConnection server, Path folder) {
        this.server = server;
        this.folder = folder;
    }

    /** Takes at least one dump, and others before the end. Their distances vary evenly, so that they do not meet the same phase of something periodic. */
    void takeUntil(CountDownLatch ended) throws Exception {
        double phase = 0;
        long pause;
        do {
            long begun = System.nanoTime();
            dumps.add(take());
            if (ended.getCount() == 0 && dumps.size() > 1) {
                dumps.remove(dumps.size() - 1).delete(); // A part of it may have come after the end.
            }
            long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
            phase = (phase + 0.618034) % 1; // the golden section: no two phases are ever close
            pause = (long) ((0.5 + phase) * Math.max(PERIOD - took, PAUSE * took));
        } while (!ended.await(pause, TimeUnit.MILLISECONDS));
    }

    Dump take() throws Exception {
        String text = (String) server.invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), "threadPrint",
            new Object[] {new String[0]}, new String[] {String[].class.getName()});
        Path file = Files.writeString(folder.resolve("threads" + files++), text);
        if (!listsVirtual || !text.contains(CARRIERS[0]) && !text.contains(CARRIERS[1])) {
            return new Dump(file, null);
        }
        Path tree = folder.resolve("threads" + files++);
        try {
            server.invoke(new ObjectName("com.sun.management:type=HotSpotDiagnostic"), "dumpThreads",
                new Object[] {tree.toString(), "JSON"}, new String[] {String.class.getName(), String.class.getName()});
            return new Dump(file, tree);
        } catch (ReflectionException olderThan21WhichHasNoVirtualThreads) {
            listsVirtual = false;
            return new Dump(file, null);
        }
    }

    /** Prints how many dumps there are and what threads did in them, the most frequent stacks first, and forgets them. */
    void tell() throws IOException {
        for (Dump dump : dumps) {
            addText(dump.text());
            if (dump.tree() != null) {
                try (Reader reader = Files.newBufferedReader(dump.tree())) {
                    new Json(reader, this::addVirtual).value();
                }
            }
            virtuals.end();
            running.forEach((method, threads) -> {
                int[] crowd = crowds.computeIfAbsent(method, key -> new int[2]);
                crowd[0] = Math.max(crowd[0], threads);
                crowd[1]++;
            });
            running.clear();
        }
        Inspect.say("dumps", Integer.toString(dumps.size()));
        crowds.entrySet().stream().filter(one -> one.getValue()[0] >= CROWD && one.getValue()[1] < dumps.size())
            .sorted((one, other) -> Integer.compare(one.getValue()[1], other.getValue()[1])).limit(CROWDS)
            .forEach(one -> Inspect.say("crowd", one.getKey(), Integer.toString(one.getValue()[0]), Integer.toString(one.getValue()[1])));
        List<Map.Entry<String, Same>> all = new ArrayList<>(stacks.entrySet());
        all.sort((one, other) -> Long.compare(other.getValue().threads, one.getValue().threads));
        Map<String, Long> rare = new HashMap<>();
        for (int i = 0; i < all.size(); i++) {
            String[] words = all.get(i).getKey().split("\t", 6);
            Same same = all.get(i).getValue();
            if (i < STACKS) {
                Inspect.say("stack", Long.toString(same.threads), words[0], words[1], words[2], words[3], words[4], same.mostLines(), words[5]);
            } else {
                rare.merge(String.join("\t", words[0], words[1], words[2], "-", "-", "-", ""), same.threads, Long::sum);
            }
        }
        rare.forEach((stack, threads) -> Inspect.say("stack", Long.toString(threads), stack));
        virtuals.tell();
        forget();
    }

    void forget() throws IOException {
        for (Dump dump : dumps) {
            dump.delete();
        }
        dumps.clear();
        stacks.clear();
        crowds.clear();
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
                thread.read(line, this);
            }
        }
        add(thread);
    }

    /** Adds a thread of a dump in JSON if it is virtual. Its state, and what it waits for, are there since JDK 25. */
    void addVirtual(Map<String, Object> tree) {
        StackOf thread = new StackOf(String.valueOf(tree.get("name")), "virtual");
        for (Object frame : (List<?>) tree.get("stack")) {
            thread.add(place(String.valueOf(frame)));
        }
        thread.state = state(String.valueOf(tree.get("state")));
        Object parked = tree.get("parkBlocker");
        Object[] objects = {parked instanceof Map<?, ?> blocker ? blocker.get("object") : parked, tree.get("blockedOn"),
            tree.get("waitingOn")};
        for (Object object : objects) {
            thread.waitsFor = object == null ? thread.waitsFor : type(object.toString());
        }
        virtuals.addTree(tree, thread);
        if (thread.isVirtual()) {
            count(thread);
        }
    }

    /** Adds a thread of a dump in HotSpot's form; the virtual thread that it carries is listed in JSON. */
    void add(StackOf thread) {
        if (thread != null) {
            virtuals.addText(thread);
            count(thread);
        }
    }

    void count(StackOf thread) {
        if (!thread.frames.isEmpty()) {
            stacks.computeIfAbsent(thread.told(), key -> new Same()).add(thread.toldLines());
        }
        if (thread.state.equals("runnable") && !thread.frames.isEmpty() && thread.lines.get(0) > 0) {
            new HashSet<>(thread.frames).forEach(method -> running.merge(method, 1, Integer::sum));
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

    /** The place in a line such as {@code java.base/java.lang.Thread.run(Thread.java:1583)}, without the addresses of hidden classes. */
    Place place(String frame) {
        return methods.computeIfAbsent(frame, key -> {
            String[] parts = key.split("\\(", 2);
            String name = named(parts[0]);
            return new Place(name.substring(name.lastIndexOf('/') + 1), parts.length < 2 ? 0 : line(parts[1]));
        });
    }

    /** The name of a class or method without the addresses of hidden classes. */
    static String named(String name) {
        return name.replaceAll("(\\$\\$Lambda)\\$\\d+", "$1").replaceAll("/(0x[0-9a-f]+|\\d+)(?=\\.|$)", "");
    }

    /** The line in a text such as {@code Thread.java:1583)}; 0 where it has none. */
    static int line(String source) {
        String digits = source.replaceFirst("^.*:(\\d+)\\).*$", "$1");
        return digits.matches("\\d{1,9}") ? Integer.parseInt(digits) : 0;
    }
}

/** What a dump tells of a thread. */
class StackOf {
    final String name;
    final String kind;
    final List<String> frames = new ArrayList<>();
    final List<Integer> lines = new ArrayList<>();
    final List<String> holds = new ArrayList<>();
    /** What the dump calls the objects whose monitors it holds. */
    final List<String> locked = new ArrayList<>();
    String state = "unknown";
    String waitsFor;
    /** The address of the object that it waits for. */
    String address;
    /** The virtual thread that it carries, whose name here is its identifier; the rest of a dump is about it. */
    StackOf mounted;

    StackOf(String name, String kind) {
        this.name = name;
        this.kind = kind;
    }

    /** Reads a line behind the first one of a thread in a dump in HotSpot's form. */
    void read(String line, Dumps dumps) {
        String words = line.strip();
        if (mounted != null) {
            mounted.read(line, dumps);
        } else if (words.startsWith("Mounted virtual thread")) {
            mounted = new StackOf(words.replaceFirst("^.*?(\\d+)$", "$1"), "virtual");
        } else if (words.startsWith("java.lang.Thread.State: ")) {
            state = Dumps.state(words.split(" ")[1]);
        } else if (words.startsWith("Carrying virtual thread")) {
            state = "waiting"; // for the virtual thread, which is listed apart from it
        } else if (words.startsWith("at ")) {
            add(dumps.place(words.substring(3)));
        } else if (words.startsWith("- ") && words.endsWith(")")) {
            object(words);
        }
    }

    void add(Dumps.Place place) {
        frames.add(place.method());
        lines.add(place.line());
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
        if (words.startsWith("- waiting") || words.startsWith("- parking")) {
            address = which;
            waitsFor = type;
            if (kind.equals("virtual")) {
                state = words.startsWith("- waiting to lock") ? "blocked" : "waiting";
            }
        } else if (words.startsWith("- locked") && !which.equals(address)) {
            holds.add(type);
            locked.add(which);
        }
    }

    boolean isVirtual() {
        return frames.contains(Dumps.VIRTUAL);
    }

    /** The words that are told of it as the holder of a lock. */
    String toldAsHolder(String lock) {
        String known = name.matches("\\d+") ? "" : name; // An identifier is no name.
        StackOf holder = new StackOf(known, isVirtual() ? "virtual" : "platform");
        holder.state = state;
        holder.frames.addAll(frames);
        holder.lines.addAll(lines);
        holder.holds.add(lock);
        return holder.toldWithLines();
    }

    /** The words that are told of it; threads with the same words are counted together. */
    String told() {
        List<String> words = new ArrayList<>(List.of(kind, state, plain(name).replaceAll("\\d+", "#"),
            waitsFor == null ? "-" : plain(waitsFor), holds.isEmpty() ? "-" : plain(String.join(";", holds))));
        words.addAll(kept(frames));
        return String.join("\t", words);
    }

    /** The lines of the methods that are told, each 0 where it is not known. */
    String toldLines() {
        return String.join(",", kept(lines).stream().map(String::valueOf).toList());
    }

    /** The words that are told of it, with its lines before its methods. */
    String toldWithLines() {
        String[] words = told().split("\t", 6);
        return String.join("\t", words[0], words[1], words[2], words[3], words[4], toldLines(), words.length > 5 ? words[5] : "");
    }

    static <T> List<T> kept(List<T> all) {
        if (all.size() <= Dumps.INNER + Dumps.OUTER) {
            return all;
        }
        List<T> kept = new ArrayList<>(all.subList(0, Dumps.INNER));
        kept.addAll(all.subList(all.size() - Dumps.OUTER, all.size()));
        return kept;
    }

    /** A text without tabs and line ends. */
    static String plain(String text) {
        return text.replaceAll("\\p{Cntrl}", " ");
    }
}

/** Reads JSON. Every object with a {@code stack} is given away as soon as it is read, because there may be very many. */
class Json {
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
