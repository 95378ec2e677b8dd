import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A heap dump as HotSpot writes it ({@code JAVA PROFILE 1.0.2}). It is walked from its begin to its end, as often as asked. */
class HeapDump {
    /** The kind of values that refer to objects. */
    static final int REFERENCE = 2;
    /** The bytes of a value of each kind, and the names of the kinds. */
    static final int[] BYTES = {0, 0, 8, 0, 1, 2, 4, 8, 1, 2, 4, 8};
    static final String[] KINDS = {"", "", "", "", "boolean", "char", "float", "double", "byte", "short", "int", "long"};
    /** The bytes of a reference in a heap of less than 32 GiB, and of the header of an object. */
    static final int COMPRESSED = 4;
    static final int HEADER = 16;

    final ByteBuffer in;
    /** Where the text of each name is, and how long it is: the upper and the lower half of a number. */
    final Map<Long, Long> texts = new HashMap<>();
    /** The names of classes, by the number of the class. */
    final Map<Long, Long> typeNames = new HashMap<>();
    final Map<Long, HeapType> types = new HashMap<>();
    /** All classes in the order of their numbers; those of arrays of plain values come first. */
    final List<HeapType> numbered = new ArrayList<>();

    /** What a walk tells. */
    interface Visitor {
        /** An object that the JVM keeps, by a stack where {@code isOnStack}. */
        default void root(long id, boolean isOnStack) { }

        default void type(HeapType type) { }

        /** An object, whose fields begin at a place of the dump. */
        default void object(long id, HeapType type, int at) { }

        /** An array of references, which begin at a place of the dump. */
        default void array(long id, HeapType type, int at, int length) { }

        /** An array of plain values. */
        default void plain(long id, HeapType type, int bytes) { }
    }

    HeapDump(ByteBuffer in) {
        this.in = in;
        for (String kind : KINDS) {
            HeapType type = new HeapType(0);
            type.name = kind + "[]";
            add(type);
        }
    }

    void add(HeapType type) {
        type.number = numbered.size();
        numbered.add(type);
    }

    void walk(Visitor visitor) {
        in.position(0);
        while (in.get() != 0) {
            // The name of the format ends with a zero.
        }
        if (in.getInt() != Long.BYTES) {
            return;
        }
        in.getLong(); // when it was made
        while (in.remaining() > 9) {
            int tag = in.get();
            in.getInt();
            long length = Integer.toUnsignedLong(in.getInt());
            int begin = in.position();
            switch (tag) {
                case 0x01 -> texts.put(in.getLong(), (long) (begin + Long.BYTES) << 32 | length - Long.BYTES);
                case 0x02 -> {
                    in.getInt();
                    long type = in.getLong();
                    in.getInt();
                    typeNames.put(type, in.getLong());
                }
                case 0x0c, 0x1c -> {
                    while (in.position() < begin + length) {
                        part(visitor);
                    }
                }
                default -> { }
            }
            in.position((int) Math.min(begin + length, in.limit()));
        }
    }

    void part(Visitor visitor) {
        int tag = in.get() & 0xff;
        switch (tag) {
            case 0xff, 0x05 -> visitor.root(in.getLong(), false);
            case 0x01 -> {
                visitor.root(in.getLong(), false);
                skip(Long.BYTES);
            }
            case 0x08 -> {
                visitor.root(in.getLong(), false);
                skip(8);
            }
            case 0x02, 0x03 -> {
                visitor.root(in.getLong(), true);
                skip(8);
            }
            case 0x04, 0x06 -> {
                visitor.root(in.getLong(), true);
                skip(4);
            }
            case 0x07 -> visitor.root(in.getLong(), true);
            case 0x20 -> visitor.type(type());
            case 0x21 -> {
                long id = in.getLong();
                in.getInt();
                HeapType type = types.get(in.getLong());
                int length = in.getInt();
                int at = in.position();
                visitor.object(id, type, at);
                in.position(at + length);
            }
            case 0x22 -> {
                long id = in.getLong();
                in.getInt();
                int length = in.getInt();
                HeapType type = types.get(in.getLong());
                int at = in.position();
                visitor.array(id, type, at, length);
                in.position(at + Long.BYTES * length);
            }
            case 0x23 -> {
                long id = in.getLong();
                in.getInt();
                int length = in.getInt();
                int kind = in.get();
                visitor.plain(id, numbered.get(kind), BYTES[kind] * length);
                skip(BYTES[kind] * length);
            }
            default -> throw new IllegalStateException("no part of a heap dump: " + tag);
        }
    }

    /** Reads a class. */
    HeapType type() {
        long id = in.getLong();
        HeapType known = types.get(id);
        HeapType type = known == null ? new HeapType(id) : known;
        in.getInt();
        type.parent = in.getLong();
        skip(5 * Long.BYTES); // loader, signers, protection domain, and two that are reserved
        type.bytes = HEADER + in.getInt();
        for (int constants = in.getShort(); constants > 0; constants--) {
            in.getShort();
            skip(BYTES[in.get()]);
        }
        type.statics.clear();
        for (int fields = Short.toUnsignedInt(in.getShort()); fields > 0; fields--) {
            long name = in.getLong();
            int kind = in.get();
            if (kind == REFERENCE) {
                type.statics.put(name, in.getLong());
            } else {
                skip(BYTES[kind]);
            }
        }
        type.fields = new long[Short.toUnsignedInt(in.getShort())];
        type.kinds = new byte[type.fields.length];
        for (int field = 0; field < type.fields.length; field++) {
            type.fields[field] = in.getLong();
            type.kinds[field] = in.get();
        }
        if (known == null) {
            types.put(id, type);
            add(type);
        }
        return type;
    }

    void skip(int bytes) {
        in.position(in.position() + bytes);
    }

    /** The references of an object: where each is behind the begin of its fields. Those that keep nothing alive are left out. */
    int[] references(HeapType type) {
        if (type.references == null) {
            List<Integer> all = new ArrayList<>();
            List<String> names = new ArrayList<>();
            int at = 0;
            for (HeapType part = type; part != null; part = types.get(part.parent)) {
                for (int field = 0; field < part.fields.length; field++) {
                    String name = part.kinds[field] == REFERENCE ? text(part.fields[field]) : "";
                    if (part.kinds[field] == REFERENCE && !(name.equals("referent") && name(part).equals("java.lang.ref.Reference"))) {
                        all.add(at);
                        names.add(name);
                    }
                    at += BYTES[part.kinds[field]];
                }
            }
            type.references = all.stream().mapToInt(place -> place).toArray();
            type.names = names;
        }
        return type.references;
    }

    /** The name of a class as it is in sources. */
    String name(HeapType type) {
        if (type.name == null) {
            String name = text(typeNames.getOrDefault(type.id, 0L)).replace('/', '.');
            // Classes of lambdas have an address behind their names.
            type.name = Recorded.readable(name.replaceFirst("\\+(0x[0-9a-f]+)$", "/$1"));
        }
        return type.name;
    }

    String text(long name) {
        long where = texts.getOrDefault(name, 0L);
        byte[] text = new byte[(int) where];
        in.get((int) (where >>> 32), text);
        return new String(text, StandardCharsets.UTF_8);
    }
}

/** A class in a heap dump. */
class HeapType {
    final long id;
    int number;
    long parent;
    /** What an object of it takes, without what it refers to. */
    int bytes;
    /** The names and kinds of its own fields, in their order. */
    long[] fields = {};
    byte[] kinds = {};
    /** Its static fields that refer to something, by their names. */
    final Map<Long, Long> statics = new HashMap<>();
    /** Its references and those of the classes that it extends, with their names; null before anybody has asked. */
    int[] references;
    List<String> names;
    String name;

    HeapType(long id) {
        this.id = id;
    }
}
