package prony.app;

import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Answers the requests for one path in a server without servlets. It never blocks: the server itself waits, in its own way. */
@FunctionalInterface
public interface Handler {
    /** Returns the answer; `parameter` gives the value of a parameter of the query, or null. */
    Reply reply(UnaryOperator<String> parameter);

    /** Returns a handler for every path of answers.txt. */
    static Map<String, Handler> fixed() {
        Map<String, Handler> handlers = new HashMap<>();
        FixedAnswers.read().forEach((path, answer) -> handlers.put(path, parameter -> answer));
        return handlers;
    }
}
