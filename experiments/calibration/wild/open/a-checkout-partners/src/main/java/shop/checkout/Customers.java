package shop.checkout;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.apache.commons.dbcp2.BasicDataSource;

/** The customers, in a database inside this process. */
final class Customers implements AutoCloseable {
    private static final int COUNT = 2000;

    private final BasicDataSource source = new BasicDataSource();

    Customers() throws SQLException {
        source.setDriverClassName("org.h2.Driver");
        source.setUrl("jdbc:h2:mem:checkout;DB_CLOSE_DELAY=-1");
        source.setMaxTotal(100);
        source.setMaxIdle(100);
        try (Connection connection = source.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute("create table if not exists customer (id int primary key, region varchar(10) not null)");
            statement.execute("merge into customer select x, 'DE-SH' from system_range(0, " + (COUNT - 1) + ")");
        }
    }

    String region(int customer) throws SQLException {
        try (Connection connection = source.getConnection();
                PreparedStatement query = connection.prepareStatement("select region from customer where id = ?")) {
            query.setInt(1, customer % COUNT);
            try (ResultSet found = query.executeQuery()) {
                return found.next() ? found.getString(1) : "none";
            }
        }
    }

    @Override
    public void close() throws SQLException {
        source.close();
    }
}
