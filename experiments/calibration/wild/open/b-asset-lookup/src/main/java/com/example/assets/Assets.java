package com.example.assets;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** GET /assets/NAME answers where an asset is kept, 304 if the caller knows it already, or 404 if there is no such asset. */
@WebServlet("/assets/*")
public class Assets extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private final transient Map<String, String> places = new HashMap<>();

    @Override
    public void init() {
        for (int i = 0; i < 10_000; i++) {
            places.put("picture-" + i, "/volume" + i % 16 + "/" + Integer.toHexString(i * 0x9E3779B1) + ".webp");
        }
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String path = request.getPathInfo();
        String name = path == null ? "" : path.substring(1);
        String place = places.get(name);
        if (place == null) {
            response.setStatus(HttpServletResponse.SC_NOT_FOUND);
            send(response, "{\"missing\":\"" + (name.length() > 40 ? "" : name.replaceAll("[^\\w-]", "?")) + "\"}");
            return;
        }
        String tag = '"' + Integer.toHexString(place.hashCode()) + '"';
        response.setHeader("ETag", tag);
        if (tag.equals(request.getHeader("If-None-Match"))) {
            response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
            return;
        }
        send(response, "{\"asset\":\"" + name + "\",\"place\":\"" + place + "\"}");
    }

    private static void send(HttpServletResponse response, String json) throws IOException {
        response.setContentType("application/json");
        response.setContentLength(json.length());
        response.getOutputStream().print(json);
    }
}
