package com.example.media;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.Random;

/** The uploaded pictures. There is one so far. */
final class PictureStore {
    private final byte[] picture;

    PictureStore(int width, int height) {
        picture = new byte[width * height * 3];
        new Random(7).nextBytes(picture);
    }

    InputStream open() {
        return new ByteArrayInputStream(picture);
    }
}
