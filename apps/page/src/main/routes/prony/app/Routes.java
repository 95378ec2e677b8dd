package prony.app;

import java.util.Collections;
import java.util.Map;

/** This application has no routes: its page is a file, which the server itself serves. */
public final class Routes {
    private Routes() {}

    /** Returns no handlers. */
    public static Map<String, Handler> all() {
        return Collections.emptyMap();
    }
}
