package com.example.timber;

/** A board in stock. */
record Board(String label, int length, int width, int thickness, long[] knots) {
    static Board number(int i) {
        return new Board("B" + i, 1800 + i * 37 % 2400, 80 + i % 5 * 20, 18 + i % 3 * 4, new long[10 + i % 4]);
    }
}
