package com.example.photos;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** POST /photos takes a photo in base64 and answers its checksum, by which it can be fetched later. */
@WebServlet("/photos")
public class Upload extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setContentType("text/plain");
        response.getWriter().print("POST a photo here");
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        MessageDigest digest = sha256();
        long length = 0;
        byte[] buffer = new byte[16 * 1024];
        InputStream photo = request.getInputStream();
        for (int count = photo.read(buffer); count >= 0; count = photo.read(buffer)) {
            digest.update(buffer, 0, count);
            length += count;
        }
        response.setStatus(HttpServletResponse.SC_CREATED);
        response.setContentType("application/json");
        response.getWriter().print("{\"bytes\":" + length + ",\"sha256\":\"" + HexFormat.of().formatHex(digest.digest()) + "\"}");
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
