package club.members;

import com.google.gson.Gson;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;

/** The card of a member. */
@WebServlet("/member")
public class MemberServlet extends HttpServlet {
    record Member(String number, String name, List<String> sections) {}

    private final transient Gson gson = new Gson();

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String number = request.getParameter("number");
        response.setContentType("application/json");
        response.getWriter().write(gson.toJson(new Member(number, "Hansen", List.of("rowing", "chess"))));
    }
}
