package com.example.media;

import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32;

/** GET /thumbnail: the picture, scaled down to 64 x 48 grey pixels, in hex. */
@WebServlet("/thumbnail")
public class Thumbnails extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private static final int WIDTH = 640;
    private static final int HEIGHT = 480;
    private static final int SCALE = 10;

    private final PictureStore store = new PictureStore(WIDTH, HEIGHT);

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
        byte[] file;
        try (InputStream picture = store.open()) {
            file = read(picture);
        }
        int[] pixels = decode(file);
        byte[] small = scale(pixels);

        CRC32 etag = new CRC32();
        etag.update(small);
        response.setHeader("ETag", '"' + Long.toHexString(etag.getValue()) + '"');
        response.setContentType("text/plain");
        StringBuilder hex = new StringBuilder(small.length * 2);
        for (byte pixel : small) {
            hex.append(Character.forDigit(pixel >> 4 & 15, 16)).append(Character.forDigit(pixel & 15, 16));
        }
        response.getWriter().print(hex);
    }

    private static byte[] read(InputStream input) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] buffer = new byte[64 * 1024];
        for (int count = input.read(buffer); count >= 0; count = input.read(buffer)) {
            bytes.write(buffer, 0, count);
        }
        return bytes.toByteArray();
    }

    private static int[] decode(byte[] file) {
        int[] pixels = new int[WIDTH * HEIGHT];
        for (int i = 0, at = 0; i < pixels.length; i++) {
            pixels[i] = (file[at++] & 255) << 16 | (file[at++] & 255) << 8 | file[at++] & 255;
        }
        return pixels;
    }

    private static byte[] scale(int[] pixels) {
        byte[] small = new byte[WIDTH / SCALE * (HEIGHT / SCALE)];
        for (int y = 0; y < HEIGHT; y += SCALE) {
            for (int x = 0; x < WIDTH; x += SCALE) {
                int pixel = pixels[y * WIDTH + x];
                small[y / SCALE * (WIDTH / SCALE) + x / SCALE] = (byte) (((pixel >> 16 & 255) * 3 + (pixel >> 8 & 255) * 6 + (pixel & 255)) / 10);
            }
        }
        return small;
    }
}
