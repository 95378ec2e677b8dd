package shop.checkout;

import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.SQLException;

/** The last page before the order: taxes, shipping and whether the customer may pay by invoice. */
@WebServlet(urlPatterns = "/checkout", loadOnStartup = 1)
public class CheckoutServlet extends HttpServlet {
    private transient Customers customers;
    private transient Regions regions;

    @Override
    public void init() throws ServletException {
        try {
            customers = new Customers();
        } catch (SQLException problem) {
            throw new ServletException("the customers cannot be read", problem);
        }
        regions = new Regions(Boolean.parseBoolean(System.getenv("CHECKOUT_CACHE")));
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
        try {
            String region = customers.region(Integer.parseInt(request.getParameter("customer")));
            String tax = regions.tax(region);
            String shipping = regions.shipping(region);
            String risk = regions.risk(region);
            response.setContentType("application/json");
            response.getWriter().write("{\"region\":\"" + region + "\",\"tax\":" + tax + ",\"shipping\":" + shipping + ",\"risk\":" + risk + "}");
        } catch (SQLException problem) {
            throw new ServletException(problem);
        }
    }

    @Override
    public void destroy() {
        try {
            customers.close();
        } catch (SQLException problem) {
            log("the pool was not closed", problem);
        }
    }
}
