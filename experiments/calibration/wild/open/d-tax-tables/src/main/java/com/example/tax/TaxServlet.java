package com.example.tax;

import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** The tax on an income in a municipality and a year. */
@WebServlet("/tax")
public class TaxServlet extends HttpServlet {
    record Answer(long tax, int from, int until) {}

    private static final ObjectMapper JSON = new ObjectMapper();

    @Override
    @SuppressWarnings("unchecked")
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Map<String, List<Tables.Row>> tables = (Map<String, List<Tables.Row>>) getServletContext().getAttribute("tables");
        List<Tables.Row> rows = tables.get(request.getParameter("municipality") + "/" + request.getParameter("year"));
        if (rows == null) {
            response.sendError(404);
            return;
        }
        int income = Integer.parseInt(request.getParameter("income"));
        Tables.Row row = rows.get(Math.min(income / 1000, rows.size() - 1));
        response.setContentType("application/json");
        JSON.writeValue(response.getOutputStream(), new Answer(Math.round(income * row.rate()), row.from(), row.until()));
    }
}
