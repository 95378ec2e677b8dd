package com.example.maps;

import java.util.ArrayList;
import java.util.List;

/** Renders a tile of 128 x 128 fields: every station in reach adds what is received of it, and the strongest one counts. */
final class Renderer {
    private record Sample(int station, float level, float distance) {}

    private static final int TILE = 128;
    private static final int STATIONS = 12;

    private final Terrain terrain;

    Renderer(Terrain terrain) {
        this.terrain = terrain;
    }

    byte[] render(int tileX, int tileY) {
        List<List<Sample>> fields = new ArrayList<>(TILE * TILE);
        for (int i = 0; i < TILE * TILE; i++) {
            List<Sample> samples = new ArrayList<>(STATIONS);
            for (int station = 0; station < STATIONS; station++) {
                samples.add(sample(tileX * TILE + i % TILE, tileY * TILE + i / TILE, station));
            }
            fields.add(samples);
        }
        byte[] tile = new byte[fields.size()];
        for (int i = 0; i < tile.length; i++) {
            float best = -120;
            for (Sample sample : fields.get(i)) {
                best = Math.max(best, sample.level());
            }
            tile[i] = (byte) (best + 128);
        }
        return tile;
    }

    /** The field strength of a station in dBm. */
    private Sample sample(int x, int y, int station) {
        float distance = Math.abs(x - (x / TILE * TILE + 5 * station)) + Math.abs(y - (y / TILE * TILE + 17)) + 1;
        return new Sample(station, -40 - 0.1f * distance + 0.02f * terrain.at(x, y), distance);
    }
}
