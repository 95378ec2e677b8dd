package com.example.maps;

import java.util.Random;

/** The heights of the region in metres, one float for each cell of 50 m. */
final class Terrain {
    private final float[][] heights;

    private Terrain(float[][] heights) {
        this.heights = heights;
    }

    static Terrain generate(int width, int height) {
        Random random = new Random(5);
        float[][] heights = new float[height][width];
        float level = 120;
        for (float[] row : heights) {
            for (int x = 0; x < width; x++) {
                level += random.nextFloat() - 0.5f;
                row[x] = level;
            }
        }
        return new Terrain(heights);
    }

    float at(int x, int y) {
        return heights[y & (heights.length - 1)][x & (heights[0].length - 1)];
    }
}
