package com.example.geo;

import java.util.Random;

/** The heights of the whole country, in tiles of 64 x 64 kilometres and 1 kB for each kilometre in a row. Loaded once and never changed. */
final class TileStore {
    static final int TILES = 5600;
    private static final int TILE_BYTES = 64 * 1024;

    private final byte[][] tiles = new byte[TILES][];

    TileStore() {
        Random random = new Random(3);
        for (int tile = 0; tile < TILES; tile++) {
            byte[] heights = new byte[TILE_BYTES];
            byte height = (byte) random.nextInt(60);
            for (int i = 0; i < heights.length; i++) {
                heights[i] = (byte) (height + (i * 31 >> 9 & 15));
            }
            tiles[tile] = heights;
        }
    }

    int height(int tile, int place) {
        return tiles[Math.floorMod(tile, TILES)][Math.floorMod(place, TILE_BYTES)] * 10;
    }
}
