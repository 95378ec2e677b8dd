package meters.gateway;

import java.util.concurrent.atomic.LongAdder;

/** What the meters have told. */
final class Readings {
    private final LongAdder count = new LongAdder();
    private final LongAdder watts = new LongAdder();

    void add(long value) {
        count.increment();
        watts.add(value);
    }
}
