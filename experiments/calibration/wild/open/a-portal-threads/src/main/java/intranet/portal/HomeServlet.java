package intranet.portal;

import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;

/** The first page of the intranet. */
@WebServlet(urlPatterns = "/home", loadOnStartup = 1)
public class HomeServlet extends HttpServlet {
    private transient News news;
    private transient Weather weather;
    private transient Directory directory;

    @Override
    public void init() throws ServletException {
        try {
            URI sources = LocalSources.start();
            news = new News(sources);
            weather = new Weather(sources);
            directory = new Directory(sources);
        } catch (IOException problem) {
            throw new ServletException("the sources cannot be reached", problem);
        }
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String user = request.getParameter("user");
        String page = "{\"news\":" + news.latest() + ",\"weather\":" + weather.today("kiel") + ",\"me\":" + directory.entry(user) + "}";
        response.setContentType("application/json");
        response.setCharacterEncoding("UTF-8");
        response.getWriter().write(page);
    }

    @Override
    public void destroy() {
        LocalSources.stop();
    }
}
