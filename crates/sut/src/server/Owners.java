import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.management.MBeanServerConnection;

/** Who holds the locks that others wait for: thread dumps do not tell it of locks of java.util.concurrent. */
class Owners {
    /** The least time between two looks, in milliseconds. */
    static final int PERIOD = 200;

    final ThreadMXBean threads;
    /** How many threads waited, summed over looks, by what is told of the thread that they waited for. */
    final Map<String, Integer> waiters = new HashMap<>();

    Owners(MBeanServerConnection server) throws Exception {
        threads = ManagementFactory.newPlatformMXBeanProxy(server, ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class);
    }

    void lookUntil(CountDownLatch ended) throws Exception {
        long took;
        do {
            long begun = System.nanoTime();
            look();
            took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
        } while (!ended.await(Math.max(PERIOD, Dumps.PAUSE * took), TimeUnit.MILLISECONDS));
    }

    void look() {
        Map<Long, List<ThreadInfo>> waiting = new HashMap<>();
        for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
            if (thread != null && thread.getLockOwnerId() >= 0) {
                waiting.computeIfAbsent(thread.getLockOwnerId(), key -> new ArrayList<>()).add(thread);
            }
        }
        long[] ids = waiting.keySet().stream().mapToLong(id -> id).toArray();
        for (ThreadInfo owner : ids.length == 0 ? new ThreadInfo[0] : threads.getThreadInfo(ids, Dumps.INNER)) {
            if (owner == null) {
                continue;
            }
            List<ThreadInfo> those = waiting.get(owner.getThreadId());
            // Its stack was taken a moment later, and tells what it holds the lock for only if it still does.
            ThreadInfo still = threads.getThreadInfo(those.get(0).getThreadId());
            if (still != null && still.getLockOwnerId() == owner.getThreadId() && still.getLockInfo() != null) {
                waiters.merge(told(owner, still.getLockInfo().getClassName()), those.size(), Integer::sum);
            }
        }
    }

    static String told(ThreadInfo owner, String lock) {
        StackOf stack = new StackOf(owner.getThreadName(), "platform");
        stack.state = Dumps.state(owner.getThreadState().name());
        stack.holds.add(lock);
        for (StackTraceElement frame : owner.getStackTrace()) {
            stack.add(new Dumps.Place(Dumps.named(frame.getClassName() + "." + frame.getMethodName()), Math.max(0, frame.getLineNumber())));
        }
        return stack.toldWithLines();
    }

    /** Prints the threads that others waited for. */
    void tell() {
        waiters.forEach((owner, count) -> Inspect.say("owner", Integer.toString(count), owner));
    }
}
