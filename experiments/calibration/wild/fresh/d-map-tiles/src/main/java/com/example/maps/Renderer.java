package com.example.maps;

/** Renders a tile of 256 x 256 pixels: each station adds a layer, and the strongest one counts. */
final class Renderer {
    private static final int TILE = 256;
    private static final int LAYER = 256;
    private static final int STATIONS = 8;

    private final Terrain terrain;

    Renderer(Terrain terrain) {
        this.terrain = terrain;
    }

    byte[] render(int tileX, int tileY) {
        float[][] layers = new float[STATIONS][];
        for (int station = 0; station < STATIONS; station++) {
            layers[station] = layer(tileX, tileY, station);
        }
        byte[] tile = new byte[TILE * TILE / 16];
        for (int i = 0; i < tile.length; i++) {
            float best = -120;
            int from = i * (LAYER * LAYER / tile.length);
            for (float[] layer : layers) {
                best = Math.max(best, layer[from]);
            }
            tile[i] = (byte) (best + 128);
        }
        return tile;
    }

    /** The field strength of a station in dBm, on a grid whose gaps are filled when somebody zooms in. */
    private float[] layer(int tileX, int tileY, int station) {
        float[] layer = new float[LAYER * LAYER];
        int stationX = tileX * TILE + 40 * station;
        int stationY = tileY * TILE + 77;
        for (int y = 0; y < LAYER; y += 4) {
            for (int x = 0; x < LAYER; x += 4) {
                int cellX = tileX * TILE + x;
                int cellY = tileY * TILE + y;
                float distance = Math.abs(cellX - stationX) + Math.abs(cellY - stationY) + 1;
                layer[y * LAYER + x] = -40 - 0.1f * distance + 0.02f * terrain.at(cellX, cellY);
            }
        }
        return layer;
    }
}
