package com.postgang.suppressed;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;

/**
 * May an address be written to? 200 if it is on the list of those who do not want mail, 404 if it is not, which is the usual answer.
 * The senders keep a copy of the list and ask with If-None-Match whether it has changed.
 */
@WebServlet(urlPatterns = {"/addresses/*", "/list"}, loadOnStartup = 1)
public class SuppressedServlet extends HttpServlet {
    private static final byte[] ON_THE_LIST = "{\"suppressed\":true}".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NOT_ON_THE_LIST = "{\"suppressed\":false}".getBytes(StandardCharsets.US_ASCII);
    private static final String VERSION = "\"2025-11-22\"";

    private final Set<String> addresses = new HashSet<>();

    @Override
    public void init() {
        for (int i = 0; i < 20_000; i++) {
            addresses.add("customer" + i + "@example.org");
        }
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (request.getServletPath().equals("/list")) {
            list(request, response);
            return;
        }
        boolean suppressed = request.getPathInfo() != null && addresses.contains(request.getPathInfo().substring(1));
        byte[] body = suppressed ? ON_THE_LIST : NOT_ON_THE_LIST;
        response.setStatus(suppressed ? HttpServletResponse.SC_OK : HttpServletResponse.SC_NOT_FOUND);
        response.setContentType("application/json");
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }

    private void list(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setHeader("ETag", VERSION);
        if (VERSION.equals(request.getHeader("If-None-Match"))) {
            response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
            return;
        }
        response.setContentType("text/plain");
        for (String address : addresses) {
            response.getOutputStream().println(address);
        }
    }
}
