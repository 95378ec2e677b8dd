package notify.sms;

import com.google.common.util.concurrent.RateLimiter;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** The way to the carrier, which takes a limited number of messages a second by contract. */
final class Carrier {
    private static final int KEPT = 1000;

    private final RateLimiter quota;
    private final ConcurrentLinkedQueue<Message> sent = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();

    Carrier(double messagesPerSecond) {
        quota = RateLimiter.create(messagesPerSecond);
    }

    void send(Message message) {
        quota.acquire();
        sent.add(message);
        if (count.incrementAndGet() > KEPT) {
            sent.poll();
            count.decrementAndGet();
        }
    }
}
