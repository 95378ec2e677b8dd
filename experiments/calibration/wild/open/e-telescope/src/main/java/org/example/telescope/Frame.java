package org.example.telescope;

/** A picture of 800 * 480 pixels, 32 bits each. */
final class Frame {
    private static final int WIDTH = 800;
    private static final int HEIGHT = 480;

    private final int[] pixels;

    private Frame(int[] pixels) {
        this.pixels = pixels;
    }

    /** Only a window of the sensor around the star is read out. */
    static Frame around(double[] position) {
        int[] pixels = new int[WIDTH * HEIGHT];
        int from = (int) (position[0] / 360 * (pixels.length - 20_000));
        for (int i = from; i < from + 20_000; i++) {
            pixels[i] = (i * 31 + (int) position[1]) & 0xFFFF;
        }
        return new Frame(pixels);
    }

    Frame calibrated() {
        int[] copy = pixels.clone();
        copy[0] = 0;
        return new Frame(copy);
    }

    long brightness() {
        long sum = 0;
        for (int i = 0; i < pixels.length; i += 16) {
            sum += pixels[i];
        }
        return sum;
    }
}
