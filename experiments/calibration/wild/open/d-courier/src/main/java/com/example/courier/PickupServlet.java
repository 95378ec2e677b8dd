package com.example.courier;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Tells when the courier can fetch a parcel. */
@WebServlet("/pickup")
public class PickupServlet extends HttpServlet {
    private final Gson gson = new Gson();

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        CourierApi courier = (CourierApi) getServletContext().getAttribute("courier");
        JsonObject slot = gson.fromJson(courier.slots(request.getParameter("postcode")), JsonObject.class);
        JsonObject answer = new JsonObject();
        answer.addProperty("postcode", request.getParameter("postcode"));
        answer.addProperty("from", slot.get("from").getAsString());
        answer.addProperty("until", slot.get("until").getAsString());
        response.setContentType("application/json");
        response.getWriter().write(gson.toJson(answer));
    }
}
