package cz.dopravnik.timetable;

import java.util.Arrays;

/** All departures of a day in columns: 256 of each stop, by time. */
class Departures {
    static final int A_DAY = 256;
    private static final int STOPS_PER_PART = 1000;

    private final int stops;
    private final short[][] minutes;
    private final short[][] lines;

    private Departures(int stops) {
        this.stops = stops;
        int parts = (stops + STOPS_PER_PART - 1) / STOPS_PER_PART;
        minutes = new short[parts][STOPS_PER_PART * A_DAY];
        lines = new short[parts][STOPS_PER_PART * A_DAY];
    }

    static Departures load(int stops) {
        Departures all = new Departures(stops);
        short[] day = new short[A_DAY];
        for (int i = 0; i < A_DAY; i++) {
            day[i] = (short) (4 * 60 + i * 20 * 60 / A_DAY);
        }
        for (int part = 0; part < all.minutes.length; part++) {
            for (int stop = 0; stop < STOPS_PER_PART; stop++) {
                System.arraycopy(day, 0, all.minutes[part], stop * A_DAY, A_DAY);
                for (int i = 0; i < A_DAY; i++) {
                    all.lines[part][stop * A_DAY + i] = (short) (100 + i % 7);
                }
            }
        }
        return all;
    }

    int firstAfter(int stop, int minute) {
        short[] part = minutes[stop % stops / STOPS_PER_PART];
        int from = stop % STOPS_PER_PART * A_DAY;
        int found = Arrays.binarySearch(part, from, from + A_DAY, (short) minute);
        return (found < 0 ? -found - 1 : found) - from;
    }

    int minute(int stop, int departure) {
        return minutes[stop % stops / STOPS_PER_PART][stop % STOPS_PER_PART * A_DAY + departure];
    }

    int line(int stop, int departure) {
        return lines[stop % stops / STOPS_PER_PART][stop % STOPS_PER_PART * A_DAY + departure];
    }
}
