import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What keeps most of what lives in a heap, by a dump of it. Each object counts for the one over which the fewest fields lead to it from what the JVM keeps.
 * Stacks come last: what a method has in hand is kept by something else. The innermost object for which more than half of all bytes count is
 * told, with the fields that lead to it.
 */
class Keepers {
    /** Dumps of more objects are not read, because the graph would not fit into this program. */
    static final int OBJECTS = 4_000_000;
    /** How many classes of what is kept are told, those with most bytes. */
    static final int CLASSES = 12;
    /** How many objects of one class in a row are a list, whose parts keep each other. */
    static final int LIST = 3;
    static final int UNREACHED = -2;
    static final int ROOT = -1;

    final HeapDump dump;
    /** The objects in ascending order; others are told by their place in it. */
    final LongList ids = new LongList();
    final LongList roots = new LongList();
    final LongList stackRoots = new LongList();
    /** The number of the class of each object, its bytes, and where its references begin and end among all. */
    int[] types;
    int[] bytes;
    int[] from;
    int[] to;
    int[] references = new int[1 << 16];
    int count;
    /** The object that refers to each, and all that are reached in the order in which they are. */
    int[] parents;
    int[] order;
    int reached;
    /** The bytes of each object and of all that count for it. */
    long[] kept;

    Keepers(HeapDump dump) {
        this.dump = dump;
    }

    /** Prints what keeps most; nothing where nothing keeps more than half, or the dump is too large. */
    static void tell(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            if (channel.size() <= Integer.MAX_VALUE) {
                new Keepers(new HeapDump(channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size()))).tell();
            }
        }
    }

    void tell() {
        dump.walk(new Objects());
        if (ids.size == 0 || ids.size > OBJECTS) {
            return;
        }
        Arrays.sort(ids.all, 0, ids.size);
        types = new int[ids.size];
        bytes = new int[ids.size];
        from = new int[ids.size];
        to = new int[ids.size];
        dump.walk(new References());
        reach();
        long live = 0;
        for (int at = 0; at < reached; at++) {
            live += bytes[order[at]];
        }
        int keeper = keeper(live);
        if (keeper < 0) {
            return;
        }
        List<Integer> path = path(keeper);
        keeper = path.get(path.size() - 1);
        List<String> words = new ArrayList<>(List.of("keeper", Long.toString(kept[keeper]), Long.toString(live)));
        words.addAll(fields(path));
        words.add(dump.name(dump.numbered.get(types[keeper])));
        Inspect.say(words.toArray(new String[0]));
        classes(keeper);
    }

    /** Collects the objects and the roots. */
    class Objects implements HeapDump.Visitor {
        @Override
        public void root(long id, boolean isOnStack) {
            (isOnStack ? stackRoots : roots).add(id);
        }

        @Override
        public void type(HeapType type) {
            ids.add(type.id);
        }

        @Override
        public void object(long id, HeapType type, int at) {
            ids.add(id);
        }

        @Override
        public void array(long id, HeapType type, int at, int length) {
            ids.add(id);
        }

        @Override
        public void plain(long id, HeapType type, int size) {
            ids.add(id);
        }
    }

    /** Collects what each object refers to. */
    class References implements HeapDump.Visitor {
        @Override
        public void type(HeapType type) {
            int object = begin(type.id, type, 0);
            type.statics.values().forEach(Keepers.this::refer);
            to[object] = count;
        }

        @Override
        public void object(long id, HeapType type, int at) {
            int object = begin(id, type, type.bytes);
            for (int place : dump.references(type)) {
                refer(dump.in.getLong(at + place));
            }
            to[object] = count;
        }

        @Override
        public void array(long id, HeapType type, int at, int length) {
            int object = begin(id, type, HeapDump.HEADER + HeapDump.COMPRESSED * length);
            for (int element = 0; element < length; element++) {
                refer(dump.in.getLong(at + Long.BYTES * element));
            }
            to[object] = count;
        }

        @Override
        public void plain(long id, HeapType type, int size) {
            to[begin(id, type, HeapDump.HEADER + size)] = count;
        }
    }

    int begin(long id, HeapType type, int size) {
        int object = find(id);
        types[object] = type.number;
        bytes[object] = size;
        from[object] = count;
        return object;
    }

    void refer(long id) {
        int object = id == 0 ? -1 : find(id);
        if (object >= 0) {
            if (count == references.length) {
                references = Arrays.copyOf(references, count + count / 2);
            }
            references[count++] = object;
        }
    }

    int find(long id) {
        return Arrays.binarySearch(ids.all, 0, ids.size, id);
    }

    /** Goes from the roots to all objects, and adds the bytes of each to those over which it is reached. */
    void reach() {
        parents = new int[ids.size];
        Arrays.fill(parents, UNREACHED);
        order = new int[ids.size];
        int next = 0;
        for (LongList some : List.of(roots, stackRoots)) {
            for (int root = 0; root < some.size; root++) {
                reach(find(some.all[root]), ROOT);
            }
            for (; next < reached; next++) {
                int object = order[next];
                for (int reference = from[object]; reference < to[object]; reference++) {
                    reach(references[reference], object);
                }
            }
        }
        kept = new long[ids.size];
        for (int at = reached - 1; at >= 0; at--) {
            int object = order[at];
            kept[object] += bytes[object];
            if (parents[object] >= 0) {
                kept[parents[object]] += kept[object];
            }
        }
    }

    void reach(int object, int parent) {
        if (object >= 0 && parents[object] == UNREACHED) {
            parents[object] = parent;
            order[reached++] = object;
        }
    }

    /** The innermost object that keeps more than half of what lives; -1 where none does. Those that do lead to each other. */
    int keeper(long live) {
        int keeper = -1;
        for (int at = 0; at < reached; at++) {
            keeper = kept[order[at]] > live / 2 ? order[at] : keeper;
        }
        return keeper;
    }

    /** The objects that lead to one from a root, up to itself or to the first part of a list. */
    List<Integer> path(int keeper) {
        List<Integer> path = new ArrayList<>();
        for (int object = keeper; object >= 0; object = parents[object]) {
            path.add(object);
        }
        Collections.reverse(path);
        for (int at = LIST; at <= path.size(); at++) {
            List<Integer> row = path.subList(at - LIST, at);
            if (row.stream().allMatch(object -> types[object] == types[row.get(0)])) {
                return path.subList(0, at - LIST + 1);
            }
        }
        return path;
    }

    /** The fields over which a path leads: {@code Class.field}, or {@code Class[]} for an element of an array. */
    List<String> fields(List<Integer> path) {
        Map<Long, Long> next = new HashMap<>();
        for (int at = 0; at + 1 < path.size(); at++) {
            next.put(ids.all[path.get(at)], ids.all[path.get(at + 1)]);
        }
        Map<Long, String> fields = new HashMap<>();
        dump.walk(new HeapDump.Visitor() {
            @Override
            public void type(HeapType type) {
                Long wanted = next.get(type.id);
                type.statics.forEach((name, id) -> {
                    if (id.equals(wanted)) {
                        fields.put(type.id, dump.name(type) + "." + dump.text(name));
                    }
                });
            }

            @Override
            public void object(long id, HeapType type, int at) {
                Long wanted = next.get(id);
                int[] places = dump.references(type);
                for (int field = 0; wanted != null && field < places.length; field++) {
                    if (dump.in.getLong(at + places[field]) == wanted) {
                        fields.put(id, dump.name(type) + "." + type.names.get(field));
                    }
                }
            }

            @Override
            public void array(long id, HeapType type, int at, int length) {
                if (next.containsKey(id)) {
                    fields.put(id, dump.name(type));
                }
            }
        });
        return path.subList(0, path.size() - 1).stream().map(object -> fields.getOrDefault(ids.all[object], "-")).toList();
    }

    /** Prints the classes of what an object keeps. */
    void classes(int keeper) {
        BitSet within = new BitSet();
        Map<Integer, long[]> classes = new HashMap<>();
        for (int at = 0; at < reached; at++) {
            int object = order[at];
            if (object == keeper || parents[object] >= 0 && within.get(parents[object])) {
                within.set(object);
                long[] all = classes.computeIfAbsent(types[object], key -> new long[2]);
                all[0]++;
                all[1] += bytes[object];
            }
        }
        classes.entrySet().stream().sorted((one, other) -> Long.compare(other.getValue()[1], one.getValue()[1])).limit(CLASSES)
            .forEach(one -> Inspect.say("kept", dump.name(dump.numbered.get(one.getKey())), Long.toString(one.getValue()[0]),
                Long.toString(one.getValue()[1])));
    }
}

/** A list of numbers that grows. */
class LongList {
    long[] all = new long[1 << 16];
    int size;

    void add(long number) {
        if (size == all.length) {
            all = Arrays.copyOf(all, size + size / 2);
        }
        all[size++] = number;
    }
}
