package org.example.routes;

import java.util.Arrays;
import java.util.PriorityQueue;

/** Dijkstra's algorithm on a grid of paths. */
final class Planner {
    private static final int SIDE = 100;
    private static final int[] STEPS = {1, -1, SIDE, -SIDE};

    private long routes;

    int metres(int from, int to) {
        int[] distance = new int[SIDE * SIDE];
        Arrays.fill(distance, Integer.MAX_VALUE);
        PriorityQueue<long[]> open = new PriorityQueue<>((a, b) -> Long.compare(a[0], b[0]));
        distance[from] = 0;
        open.add(new long[] {0, from});
        while (!open.isEmpty()) {
            long[] nearest = open.poll();
            int place = (int) nearest[1];
            if (place == to) {
                break;
            }
            if (nearest[0] > distance[place]) {
                continue;
            }
            for (int step : STEPS) {
                int next = place + step;
                if (next >= 0 && next < distance.length) {
                    int metres = distance[place] + 40 + Math.floorMod(place * 31 + next * 17, 90);
                    if (metres < distance[next]) {
                        distance[next] = metres;
                        open.add(new long[] {metres, next});
                    }
                }
            }
        }
        count();
        return distance[to];
    }

    private synchronized void count() {
        routes++;
    }
}
