package com.example.geo;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** GET /height?tile=T&place=P: the height of a place above the sea, in metres. */
@WebServlet(urlPatterns = "/height", loadOnStartup = 1)
public class Height extends HttpServlet {
    private static final long serialVersionUID = 1L;

    private transient TileStore tiles;

    @Override
    public void init() {
        tiles = new TileStore();
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        int tile = Integer.parseInt(request.getParameter("tile"));
        int place = Integer.parseInt(request.getParameter("place"));
        response.setContentType("application/json");
        response.getOutputStream().print("{\"metres\":" + tiles.height(tile, place) + "}");
    }
}
