package prony.app;

import ${namespace}.servlet.ServletContext;

/**
 * The endpoints of this application: fixed answers, for each of which it asks a PostgreSQL, a Redis or a partner over HTTP in a way that is,
 * or is not, as it should be. The files of experiments/calibration use them to prove that prony tells these ways apart.
 */
public final class Endpoints {
    private Endpoints() {}

    public static void register(ServletContext context) {
        answer(context, "order", "40 lines", () -> order(System.getenv("ORDERS")) + " lines");
        answer(context, "scan", "1 article", () -> Database.articlesOfMaker() + " article");
        answer(context, "counter", "counted", Database::count);
        answer(context, "quote", "quoted", Partner::quote);
        answer(context, "basket", "40 articles", () -> basket(System.getenv("BASKET")) + " articles");
        answer(context, "secure", "priced", () -> SecurePartner.ask(System.getenv("SECURE_CALLS")));
        answer(context, "partner", "asked", Partner::askByName);
        answer(context, "room", "free", Partner::room);
        answer(context, "token", "free", Token::bearer);
        answer(context, "board", "1 board", () -> Board.articles() + " board");
    }

    /** Returns the number of lines of an order, read at once, or in the way that this names. */
    private static int order(String way) throws Exception {
        switch (way == null ? "joined" : way) {
            case "line-by-line": return Database.orderLineByLine();
            case "new-connection": return Database.orderOnNewConnection();
            case "price-by-price": return Partner.priceByPrice();
            default: return Database.orderJoined();
        }
    }

    private static int basket(String way) {
        return "one-by-one".equals(way) ? Basket.oneByOne() : Basket.atOnce();
    }

    private static void answer(ServletContext context, String path, String expected, Question question) {
        context.addServlet(path, new Asking(expected, question)).addMapping("/" + path);
    }
}
