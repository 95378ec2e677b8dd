package prony.app;

/**
 * Counts which fields of an order are numbers. ORDER_CHECK (an environment variable) tells how: with `exceptions` by parsing each
 * field, which throws for half of them, with `regex` by an expression that is compiled for each field, and otherwise by looking at
 * the characters, which costs next to nothing.
 */
final class Order {
    private static final int FIELDS = 200;
    private static final String CHECK = String.valueOf(System.getenv("ORDER_CHECK"));

    private final String[] fields = new String[FIELDS];

    Order() {
        for (int field = 0; field < FIELDS; field++) {
            fields[field] = field % 2 == 0 ? Integer.toString(field * 7919) : "article " + field;
        }
    }

    boolean check() {
        int numbers = 0;
        for (String field : fields) {
            numbers += isNumber(field) ? 1 : 0;
        }
        return numbers == FIELDS / 2;
    }

    private static boolean isNumber(String field) {
        switch (CHECK) {
            case "exceptions":
                return isParsed(field);
            case "regex":
                return field.matches("-?[0-9]{1,9}");
            default:
                return isOfDigits(field);
        }
    }

    private static boolean isParsed(String field) {
        try {
            return Integer.parseInt(field) >= 0;
        } catch (NumberFormatException text) {
            return false;
        }
    }

    private static boolean isOfDigits(String field) {
        for (int at = 0; at < field.length(); at++) {
            if (!Character.isDigit(field.charAt(at))) {
                return false;
            }
        }
        return !field.isEmpty();
    }
}
