package de.rampenlicht.seats;

import java.io.IOException;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** The seats of tonight's performance. Many look at the plan, few reserve. */
class Hall {
    static final int ROWS = 24;
    static final int SEATS = 32;

    private final ReadWriteLock lock = new ReentrantReadWriteLock();
    private final int[][] holds = new int[ROWS][SEATS];
    private final BoxOffice office;
    private final boolean confirmFirst;

    Hall(BoxOffice office, boolean confirmFirst) {
        this.office = office;
        this.confirmFirst = confirmFirst;
    }

    /** How many seats a row has. */
    int seatsOf(int row) {
        lock.readLock().lock();
        try {
            int seats = 0;
            for (int holdsOfSeat : holds[row]) {
                seats += holdsOfSeat >= 0 ? 1 : 0;
            }
            return seats;
        } finally {
            lock.readLock().unlock();
        }
    }

    /** Holds a seat for a visitor. Plan and box office must agree, so both are changed together. */
    boolean hold(int row, int seat) throws IOException {
        if (confirmFirst) {
            return office.reserve(row, seat) && enter(row, seat);
        }
        lock.writeLock().lock();
        try {
            return office.reserve(row, seat) && enter(row, seat);
        } finally {
            lock.writeLock().unlock();
        }
    }

    private boolean enter(int row, int seat) {
        lock.writeLock().lock();
        try {
            holds[row][seat]++;
            return true;
        } finally {
            lock.writeLock().unlock();
        }
    }
}
