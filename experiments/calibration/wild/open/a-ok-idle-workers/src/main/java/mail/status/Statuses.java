package mail.status;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What is known about mails. */
final class Statuses {
    record Status(String id, String state, int attempts) {}

    private final Map<String, Status> known = new ConcurrentHashMap<>();

    Status of(String id) {
        return known.getOrDefault(id, new Status(id, "delivered", 1));
    }

    void set(Status status) {
        known.put(status.id(), status);
    }
}
