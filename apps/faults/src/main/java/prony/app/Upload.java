package prony.app;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import ${namespace}.servlet.http.HttpServlet;
import ${namespace}.servlet.http.HttpServletRequest;
import ${namespace}.servlet.http.HttpServletResponse;

/** Reads the body of a request to its end, and answers. */
final class Upload extends HttpServlet {
    private static final long serialVersionUID = 1L;
    private static final byte[] TAKEN = "taken".getBytes(StandardCharsets.UTF_8);

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        byte[] piece = new byte[8192];
        try (InputStream body = request.getInputStream()) {
            while (body.read(piece) >= 0) {
                // Only its end matters.
            }
        }
        response.setContentType("text/plain;charset=utf-8");
        response.setContentLength(TAKEN.length);
        response.getOutputStream().write(TAKEN);
    }
}
