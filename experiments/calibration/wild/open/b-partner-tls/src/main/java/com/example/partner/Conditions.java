package com.example.partner;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** GET /conditions: the discounts of a partner. */
@WebServlet("/conditions")
public class Conditions extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        StringBuilder json = new StringBuilder("{\"partner\":\"A-77\",\"discounts\":[");
        for (int group = 1; group <= 20; group++) {
            json.append(group == 1 ? "" : ",").append("{\"group\":").append(group).append(",\"percent\":").append(group % 6 * 2.5).append('}');
        }
        response.setContentType("application/json");
        response.getWriter().print(json.append("]}"));
    }
}
