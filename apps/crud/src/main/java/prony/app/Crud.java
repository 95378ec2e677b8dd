package prony.app;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.TimeoutException;
import net.rubyeye.xmemcached.MemcachedClient;
import net.rubyeye.xmemcached.XMemcachedClientBuilder;
import net.rubyeye.xmemcached.exception.MemcachedException;
import net.rubyeye.xmemcached.utils.AddrUtil;
import ${namespace}.servlet.ServletException;
import ${namespace}.servlet.http.HttpServlet;
import ${namespace}.servlet.http.HttpServletRequest;
import ${namespace}.servlet.http.HttpServletResponse;

/**
 * Entities in Memcached: PUT `/crud/KEY` creates one, GET reads it, POST updates it, DELETE removes it; the body is the entity. The
 * address of Memcached is in the environment variable MEMCACHED_ADDRESS (HOST:PORT) or the system property memcached.address.
 */
public class Crud extends HttpServlet {
    private static final long serialVersionUID = 1L;

    /** An entity that exists from the start, so that reading it proves that Memcached answers. */
    private static final String FIRST = "first";
    private static final byte[] FIRST_ENTITY = "{\"name\":\"first\"}".getBytes();

    private static final int FOR_EVER = 0;

    /** A command for Memcached. */
    private interface Question<T> {
        T ask() throws InterruptedException, MemcachedException, TimeoutException;
    }

    private transient MemcachedClient memcached;

    @Override
    public void init() throws ServletException {
        String address = System.getProperty("memcached.address", System.getenv("MEMCACHED_ADDRESS"));
        if (address == null) {
            throw new ServletException("MEMCACHED_ADDRESS is not set: this application keeps its entities in Memcached");
        }
        try {
            memcached = new XMemcachedClientBuilder(AddrUtil.getAddresses(address)).build();
            ask(() -> memcached.set(FIRST, FOR_EVER, FIRST_ENTITY));
        } catch (IOException problem) {
            throw new ServletException("Memcached at " + address + " cannot be reached", problem);
        }
    }

    @Override
    public void destroy() {
        try {
            memcached.shutdown();
        } catch (IOException goneAlready) {
            log("Memcached was not left in order", goneAlready);
        }
    }

    @Override
    protected void doPut(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String key = key(request);
        byte[] entity = body(request);
        ask(() -> memcached.set(key, FOR_EVER, entity));
        response.setStatus(HttpServletResponse.SC_CREATED);
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String key = key(request);
        byte[] entity = ask(() -> memcached.get(key));
        if (entity == null) {
            response.sendError(HttpServletResponse.SC_NOT_FOUND);
            return;
        }
        response.setContentType("application/json");
        response.setContentLength(entity.length);
        response.getOutputStream().write(entity);
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String key = key(request);
        byte[] entity = body(request);
        done(ask(() -> memcached.replace(key, FOR_EVER, entity)), response);
    }

    @Override
    protected void doDelete(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String key = key(request);
        done(ask(() -> memcached.delete(key)), response);
    }

    /** Answers 204 if the entity existed, and 404 if it did not. */
    private static void done(boolean was, HttpServletResponse response) throws IOException {
        if (was) {
            response.setStatus(HttpServletResponse.SC_NO_CONTENT);
        } else {
            response.sendError(HttpServletResponse.SC_NOT_FOUND);
        }
    }

    private static <T> T ask(Question<T> question) throws IOException {
        try {
            return question.ask();
        } catch (MemcachedException | TimeoutException problem) {
            throw new IOException("Memcached did not answer", problem);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", stopping);
        }
    }

    /** Returns the key in the path; it is empty for a key that Memcached would refuse. */
    private static String key(HttpServletRequest request) {
        String path = request.getPathInfo();
        return path == null ? "" : path.substring(1);
    }

    private static byte[] body(HttpServletRequest request) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream(Math.max(32, request.getContentLength()));
        byte[] buffer = new byte[4096];
        InputStream input = request.getInputStream();
        for (int count = input.read(buffer); count >= 0; count = input.read(buffer)) {
            body.write(buffer, 0, count);
        }
        return body.toByteArray();
    }
}
