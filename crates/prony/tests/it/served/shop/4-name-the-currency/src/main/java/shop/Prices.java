package shop;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;

/** Answers with the lowest and the highest price. */
@WebServlet("/prices")
public class Prices extends HttpServlet {
    private static final int[] PRICES = new Random(1).ints(20_000, 1, 100_000).toArray();

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        int[] sorted = PRICES.clone();
        Arrays.sort(sorted);
        int highest = sorted[sorted.length - 1];
        response.setContentType("text/plain");
        response.getWriter().print("The prices of all articles (EUR) are between " + sorted[0] + " and " + highest);
    }
}
