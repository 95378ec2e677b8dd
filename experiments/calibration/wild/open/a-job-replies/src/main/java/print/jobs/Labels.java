package print.jobs;

import java.util.UUID;

/** Labels for parcels, which the renderer makes. */
final class Labels {
    private final Queue queue;

    Labels(Queue queue) {
        this.queue = queue;
    }

    String label(String parcel) throws Exception {
        String reply = queue.ask(UUID.randomUUID().toString());
        if (reply == null) {
            throw new IllegalStateException("the renderer did not answer for " + parcel);
        }
        return "{\"parcel\":\"" + parcel + "\",\"label\":\"" + reply + "\"}";
    }
}
