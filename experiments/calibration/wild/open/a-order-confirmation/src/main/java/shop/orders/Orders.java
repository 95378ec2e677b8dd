package shop.orders;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Repository;

@Repository
public class Orders {
    public static final int COUNT = 5000;

    private final JdbcTemplate jdbc;

    public Orders(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    public long total(int order) {
        return jdbc.queryForObject("select cents from orders where id = ?", Long.class, order);
    }

    public void paid(int order, String receipt) {
        jdbc.update("insert into payments (order_id, receipt) values (?, ?)", order, receipt);
    }
}
