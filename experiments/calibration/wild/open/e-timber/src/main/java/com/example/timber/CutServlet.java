package com.example.timber;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Chooses a board to be cut, and asks the saw whether it is free. */
@WebServlet(urlPatterns = "/cut", loadOnStartup = 1)
public class CutServlet extends HttpServlet {
    private static final int BOARDS = 900_000;
    private static final int CANDIDATES = 9_000;
    private static final long SAW_MILLIS = 10;

    private transient List<Board> stock;

    @Override
    public void init() {
        stock = new ArrayList<>(BOARDS);
        for (int i = 0; i < BOARDS; i++) {
            stock.add(Board.number(i));
        }
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        int length = Integer.parseInt(request.getParameter("length"));
        int first = ThreadLocalRandom.current().nextInt(BOARDS - CANDIDATES);
        List<Offcut> candidates = new ArrayList<>();
        for (Board board : stock.subList(first, first + CANDIDATES)) {
            candidates.add(new Offcut(board, board.length() - length, new int[20]));
        }
        askSaw();
        long fitting = candidates.stream().filter(offcut -> offcut.rest() >= 0).count();
        response.setContentType("text/plain");
        response.getWriter().println(fitting > 0 ? "board found" : "no board");
    }

    private static void askSaw() throws IOException {
        try {
            Thread.sleep(SAW_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    private record Offcut(Board board, int rest, int[] cuts) {}
}
