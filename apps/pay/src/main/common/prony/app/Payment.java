package prony.app;

import java.util.function.UnaryOperator;
import java.util.logging.Logger;

/** `/pay?orderId=…` logs, waits for a second as for a bank (or for `millis=…`), and answers that the order is paid. */
final class Payment {
    private static final int BAD_REQUEST = 400;
    private static final long SECOND = 1000;
    private static final Logger LOG = Logger.getLogger("prony.pay");

    private Payment() {}

    /** Returns the answer to a request with these parameters. */
    static Reply pay(UnaryOperator<String> parameter) {
        String order = parameter.apply("orderId");
        String millis = parameter.apply("millis");
        if (order == null) {
            return Reply.refusal(BAD_REQUEST, "orderId is missing");
        }
        LOG.info("paying order " + order);
        String paid = "Order " + order + " paid via card";
        try {
            return Reply.later("text/plain;charset=utf-8", paid, millis == null ? SECOND : Long.parseLong(millis));
        } catch (NumberFormatException noNumber) {
            return Reply.refusal(BAD_REQUEST, "millis is no number of milliseconds");
        }
    }
}
