package prony.app;

import java.nio.charset.StandardCharsets;

/** What an application answers to a request, whatever server sends it. */
public final class Reply {
    private static final int OK = 200;

    public final int status;
    /** The Content-Type. */
    public final String type;
    public final byte[] body;
    /** The time before the answer is sent, as if another service had to be asked. */
    public final long millis;

    private Reply(int status, String type, String body, long millis) {
        this.status = status;
        this.type = type;
        this.body = body.getBytes(StandardCharsets.UTF_8);
        this.millis = millis;
    }

    /** An answer at once. */
    public static Reply ok(String type, String body) {
        return later(type, body, 0);
    }

    /** An answer after a wait. */
    public static Reply later(String type, String body, long millis) {
        return new Reply(OK, type, body, millis);
    }

    /** A refusal. */
    public static Reply refusal(int status, String reason) {
        return new Reply(status, "text/plain;charset=utf-8", reason, 0);
    }
}
