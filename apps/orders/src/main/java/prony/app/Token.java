package prony.app;

import java.io.IOException;

/**
 * A token of the partner, who takes 20 ms for it. Each request takes the old one for out of date and asks for another under the lock, so that all wait for
 * each other. With the environment variable TOKEN_KEPT the first one is kept.
 */
final class Token {
    private static final boolean KEPT = System.getenv("TOKEN_KEPT") != null;

    private static String token;

    private Token() {}

    static synchronized String bearer() throws IOException, InterruptedException {
        if (!KEPT || token == null) {
            token = Partner.room();
        }
        return token;
    }
}
