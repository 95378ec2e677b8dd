package org.example.museum;

/** The ticket office's system, as its simulator of the test environment. It answers after 8 ms. */
final class TicketOffice {
    private static final long MILLIS = 8;

    String freeSlots() {
        try {
            Thread.sleep(MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return "10:30, 11:00, 14:30";
    }
}
