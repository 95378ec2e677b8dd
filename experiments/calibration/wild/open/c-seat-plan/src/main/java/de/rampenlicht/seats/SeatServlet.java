package de.rampenlicht.seats;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

@WebServlet(urlPatterns = {"/plan", "/hold"}, loadOnStartup = 1)
public class SeatServlet extends HttpServlet {
    private Hall hall;

    @Override
    public void init() {
        String address = System.getenv().getOrDefault("BOXOFFICE_ADDRESS", "127.0.0.1:9700");
        hall = new Hall(new BoxOffice(address), "first".equals(System.getenv("SEATS_CONFIRM")));
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        StringBuilder plan = new StringBuilder(1024).append("{\"hall\":\"Grosses Haus\",\"rows\":[");
        for (int row = 0; row < Hall.ROWS; row++) {
            plan.append(row == 0 ? "" : ",").append("{\"row\":").append(row + 1).append(",\"seats\":").append(hall.seatsOf(row)).append('}');
        }
        answer(response, plan.append("]}").toString());
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        int number = Integer.parseUnsignedInt(request.getParameter("n")) & Integer.MAX_VALUE;
        boolean held = hall.hold(number / Hall.SEATS % Hall.ROWS, number % Hall.SEATS);
        answer(response, "{\"held\":" + held + "}");
    }

    private static void answer(HttpServletResponse response, String json) throws IOException {
        response.setContentType("application/json");
        response.setCharacterEncoding("UTF-8");
        response.getWriter().write(json);
    }
}
