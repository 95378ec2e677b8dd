import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Who holds the locks that virtual threads wait for: the JVM tells it of platform threads only. Dumps show it: since JDK 25 in the list of virtual
 * threads, and before that of monitors alone, because a virtual thread that waits for one keeps its carrier, which the other dump shows with it.
 */
class Virtuals {
    /** How many virtual threads waited, summed over dumps, by what is told of the thread that they waited for. */
    final Map<String, Integer> waiters = new HashMap<>();
    /** The threads of the present dump by their identifiers. */
    final Map<String, StackOf> threads = new HashMap<>();
    /** Virtual threads on their carriers, by their identifiers. */
    final Map<String, StackOf> mounted = new HashMap<>();
    /** The threads that hold monitors, by what the dump calls the objects. */
    final Map<String, StackOf> holders = new HashMap<>();
    final List<Wait> waits = new ArrayList<>();

    /** A thread that waits for a lock: the lock's class, what the dump calls its object, and the identifier of its owner, where the dump tells it. */
    record Wait(StackOf waiter, String type, String object, String owner) { }

    /** Adds a thread of a dump in HotSpot's form, with the virtual thread that it carries. */
    void addText(StackOf thread) {
        thread.locked.forEach(object -> holders.put(object, thread));
        if (thread.mounted != null) {
            addText(thread.mounted);
            mounted.put(thread.mounted.name, thread.mounted);
            if (thread.mounted.state.equals("blocked")) {
                waits.add(new Wait(thread.mounted, thread.mounted.waitsFor, thread.mounted.address, null));
            }
        }
    }

    /** Adds a thread of a dump in JSON, and tells it what the other dump knows of it. */
    void addTree(Map<String, Object> tree, StackOf thread) {
        String identifier = String.valueOf(tree.get("tid"));
        threads.put(identifier, thread);
        StackOf same = mounted.get(identifier);
        if (same != null && thread.state.equals("unknown") && !same.state.equals("unknown")) {
            thread.state = same.state;
            thread.waitsFor = same.waitsFor;
            thread.holds.addAll(same.holds);
        }
        if (tree.get("monitorsOwned") instanceof List<?> monitors) {
            for (Object monitor : monitors) {
                if (monitor instanceof Map<?, ?> owned && owned.get("locks") instanceof List<?> locks) {
                    for (Object lock : locks) {
                        thread.holds.add(Dumps.type(String.valueOf(lock)));
                        holders.put(String.valueOf(lock), thread);
                    }
                }
            }
        }
        if (tree.get("parkBlocker") instanceof Map<?, ?> blocker && blocker.get("owner") != null && blocker.get("object") != null) {
            String object = blocker.get("object").toString();
            waits.add(new Wait(thread, Dumps.type(object), object, blocker.get("owner").toString()));
        }
        if (tree.get("blockedOn") != null) {
            String object = tree.get("blockedOn").toString();
            waits.add(new Wait(thread, Dumps.type(object), object, null));
        }
    }

    /** A dump is complete: counts who waits for whom, where a virtual thread is one of them. */
    void end() {
        for (Wait wait : waits) {
            StackOf owner = wait.owner() == null ? holders.get(wait.object()) : threads.get(wait.owner());
            if (owner != null && owner != wait.waiter() && (owner.isVirtual() || wait.waiter().isVirtual())) {
                waiters.merge(owner.toldAsHolder(wait.type()), 1, Integer::sum);
            }
        }
        threads.clear();
        mounted.clear();
        holders.clear();
        waits.clear();
    }

    /** Prints the threads that others waited for, and forgets them. */
    void tell() {
        waiters.forEach((owner, count) -> Inspect.say("owner", Integer.toString(count), owner));
        waiters.clear();
    }
}
