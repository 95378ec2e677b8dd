package prony.app;

import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Answers the requests for one path in a server without servlets. It never blocks: the server itself waits, in its own way. */
@FunctionalInterface
public interface Handler {
    /** Returns the answer; `parameter` gives the value of a parameter of the query, or null. */
    Reply reply(UnaryOperator<String> parameter);

    /** Whether answers may come after a wait. */
    default boolean waits() {
        return false;
    }

    /** Returns this handler as one whose answers come after a wait. */
    default Handler waiting() {
        Handler self = this;
        return new Handler() {
            @Override
            public Reply reply(UnaryOperator<String> parameter) {
                return self.reply(parameter);
            }

            @Override
            public boolean waits() {
                return true;
            }
        };
    }

    /** Returns a handler for every path of answers.txt. */
    static Map<String, Handler> fixed() {
        Map<String, Handler> handlers = new HashMap<>();
        FixedAnswers.read().forEach((path, answer) -> handlers.put(path, parameter -> answer));
        return handlers;
    }
}
