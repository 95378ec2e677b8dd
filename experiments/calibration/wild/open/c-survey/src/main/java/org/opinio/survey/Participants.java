package org.opinio.survey;

import jakarta.servlet.annotation.WebListener;
import jakarta.servlet.http.HttpSessionEvent;
import jakarta.servlet.http.HttpSessionListener;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts who takes part at the moment. */
@WebListener
public class Participants implements HttpSessionListener {
    private static final AtomicInteger PRESENT = new AtomicInteger();

    @Override
    public void sessionCreated(HttpSessionEvent event) {
        PRESENT.incrementAndGet();
    }

    @Override
    public void sessionDestroyed(HttpSessionEvent event) {
        PRESENT.decrementAndGet();
    }

    static int present() {
        return PRESENT.get();
    }
}
