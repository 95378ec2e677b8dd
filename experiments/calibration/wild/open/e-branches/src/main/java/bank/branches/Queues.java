package bank.branches;

import java.util.concurrent.ConcurrentHashMap;

/** The number that was drawn last, for each branch. */
final class Queues {
    private final ConcurrentHashMap<String, Integer> drawn = new ConcurrentHashMap<>();
    private final Display display;
    private final boolean tellAfterwards;

    Queues(Display display, boolean tellAfterwards) {
        this.display = display;
        this.tellAfterwards = tellAfterwards;
    }

    int draw(String branch) {
        if (tellAfterwards) {
            int ticket = drawn.merge(branch, 1, Integer::sum);
            display.show(branch + " " + ticket);
            return ticket;
        }
        return drawn.compute(branch, (name, last) -> {
            int ticket = last == null ? 1 : last + 1;
            display.show(name + " " + ticket);
            return ticket;
        });
    }
}
