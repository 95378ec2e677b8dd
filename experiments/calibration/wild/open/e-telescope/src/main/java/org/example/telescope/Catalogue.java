package org.example.telescope;

import java.util.ArrayList;
import java.util.List;

/** Positions of the stars. */
final class Catalogue {
    private static final int STARS = 2_000_000;

    private final List<double[]> positions = new ArrayList<>(STARS);

    Catalogue() {
        for (int i = 0; i < STARS; i++) {
            positions.add(new double[] {i % 360, i % 180 - 90.0});
        }
    }

    double[] position(int star) {
        return positions.get(star % STARS);
    }
}
