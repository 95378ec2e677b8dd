package com.example.labels;

import java.util.HashMap;
import java.util.Map;

/** Pictures of the characters of our fonts. Each thread has its own, so that nobody waits for another. */
final class Glyphs {
    static final int FONTS = 50;
    private static final String CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrstuvwxyz -./()*+#&:,;'!?=%$";
    private static final ThreadLocal<Glyphs> OF_THREAD = ThreadLocal.withInitial(Glyphs::new);

    private final Map<String, int[]> pictures = new HashMap<>();

    private Glyphs() {
        for (int font = 0; font < FONTS; font++) {
            for (int i = 0; i < 80; i++) {
                pictures.put(font + "/" + CHARACTERS.charAt(i), draw(font, CHARACTERS.charAt(i)));
            }
        }
    }

    static Glyphs ofThisThread() {
        return OF_THREAD.get();
    }

    int[] picture(int font, char character) {
        return pictures.get(font + "/" + character);
    }

    private static int[] draw(int font, char character) {
        int[] rows = new int[16];
        for (int i = 0; i < rows.length; i++) {
            rows[i] = Integer.rotateLeft(character * 0x9E3779B9, i) ^ font;
        }
        return rows;
    }
}
