package sales.report;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** The sales of all shops, in a database inside this process. */
final class Sales {
    record Sale(int id, String shop, String article, long cents) {}

    private final HikariDataSource source;

    Sales(int connections) throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:sales;DB_CLOSE_DELAY=-1");
        config.setMaximumPoolSize(connections);
        source = new HikariDataSource(config);
        try (Connection connection = source.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute("create table sale (id int primary key, shop varchar(20), article varchar(40), cents bigint)");
            statement.execute("create index by_shop on sale (shop)");
            statement.execute("insert into sale select x, 'shop-' || mod(x, 100), 'article ' || mod(x * 7, 900), 100 + mod(x * 13, 9000)"
                    + " from system_range(1, 4000)");
        }
    }

    /** Returns the sales of a shop. The connection is given back before anything else is done with them. */
    List<Sale> of(String shop) throws SQLException {
        List<Sale> sales = new ArrayList<>();
        try (Connection connection = source.getConnection();
                PreparedStatement query = connection.prepareStatement("select id, shop, article, cents from sale where shop = ? order by id")) {
            query.setString(1, shop);
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    sales.add(new Sale(rows.getInt(1), rows.getString(2), rows.getString(3), rows.getLong(4)));
                }
            }
        }
        return sales;
    }
}
