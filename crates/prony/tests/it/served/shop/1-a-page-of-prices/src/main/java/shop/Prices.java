package shop;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Random;
import java.util.stream.IntStream;

/** Answers with the lowest and the highest price. */
@WebServlet("/prices")
public class Prices extends HttpServlet {
    private static final int[] PRICES = new Random(1).ints(20_000, 1, 100_000).toArray();
    private static final int LOWEST = IntStream.of(PRICES).min().getAsInt();
    private static final int HIGHEST = IntStream.of(PRICES).max().getAsInt();

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.setContentType("text/plain");
        response.getWriter().print("The prices of all articles are between " + LOWEST + " and " + HIGHEST);
    }
}
