package prony.app;

import java.util.Collections;
import java.util.Map;

/** The routes of this application, for servers without servlets. */
public final class Routes {
    private Routes() {}

    /** Returns the handlers by their paths. */
    public static Map<String, Handler> all() {
        Handler pay = Payment::pay;
        return Collections.singletonMap("/pay", pay.waiting());
    }
}
