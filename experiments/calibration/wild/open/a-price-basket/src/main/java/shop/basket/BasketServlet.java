package shop.basket;

import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.JedisPoolConfig;

/** Puts an article into the basket of a session, which lives in Redis. */
@WebServlet(urlPatterns = "/basket/add", loadOnStartup = 1)
public class BasketServlet extends HttpServlet {
    private static final int SESSION_SECONDS = 1800;

    private transient JedisPool pool;
    private transient StockService stock;

    @Override
    public void init() throws ServletException {
        String[] redis = System.getenv("REDIS_ADDRESS").split(":");
        JedisPoolConfig config = new JedisPoolConfig();
        String connections = System.getenv("REDIS_CONNECTIONS");
        if (connections != null) {
            config.setMaxTotal(Integer.parseInt(connections));
            config.setMaxIdle(Integer.parseInt(connections));
        }
        pool = new JedisPool(config, redis[0], Integer.parseInt(redis[1]));
        stock = new StockService(System.getenv("STOCK_ADDRESS"));
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String session = request.getParameter("session");
        String article = request.getParameter("article");
        try (Jedis redis = pool.getResource()) {
            String key = "basket:" + session;
            redis.hget(key, article);
            String left = stock.left(article);
            redis.hset(key, article, left);
            redis.expire(key, SESSION_SECONDS);
        }
        response.setContentType("application/json");
        response.getWriter().write("{\"article\":\"" + article + "\",\"added\":true}");
    }

    @Override
    public void destroy() {
        pool.close();
    }
}
