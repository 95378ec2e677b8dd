package com.example.shop;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;

/** GET /basket shows the visitor's basket. The pages call it, so every visitor has one from the first page on. */
@WebServlet("/basket")
public class BasketServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        HttpSession session;
        try {
            session = request.getSession();
        } catch (IllegalStateException full) {
            response.setHeader("Retry-After", "30");
            response.setStatus(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
            response.setContentType("text/plain");
            response.getWriter().print("Our shop is full. Please come back in a minute.");
            return;
        }
        Basket basket = (Basket) session.getAttribute("basket");
        if (basket == null) {
            basket = new Basket();
            basket.add("welcome-voucher");
            session.setAttribute("basket", basket);
        }
        response.setContentType("application/json");
        response.getWriter().print(basket.json());
    }
}
