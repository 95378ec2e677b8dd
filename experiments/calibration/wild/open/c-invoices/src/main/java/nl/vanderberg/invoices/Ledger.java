package nl.vanderberg.invoices;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.sqlite.Function;
import org.sqlite.SQLiteDataSource;

/** The lines of this year's invoices. Each connection has its own copy in memory, and the SQL function rate(currency). */
@Configuration
class Ledger {
    @Bean
    DataSource lines(Rates rates) {
        SQLiteDataSource source = new SQLiteDataSource() {
            @Override
            public Connection getConnection() throws SQLException {
                return prepare(super.getConnection(), rates);
            }
        };
        source.setUrl("jdbc:sqlite::memory:");
        HikariConfig config = new HikariConfig();
        config.setDataSource(source);
        config.setMaximumPoolSize(100);
        config.setMinimumIdle(100);
        return new HikariDataSource(config);
    }

    @Bean
    JdbcTemplate template(DataSource lines) {
        return new JdbcTemplate(lines);
    }

    private static Connection prepare(Connection connection, Rates rates) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("create table line (invoice int, article text, cents int, currency text)");
            statement.execute("create index line_invoice on line (invoice)");
        }
        connection.setAutoCommit(false);
        try (PreparedStatement insert = connection.prepareStatement("insert into line values (?, ?, ?, 'USD')")) {
            for (int invoice = 0; invoice < 200; invoice++) {
                for (int line = 0; line < 4; line++) {
                    insert.setInt(1, invoice);
                    insert.setString(2, "article " + line);
                    insert.setInt(3, 1250 * (line + 1));
                    insert.addBatch();
                }
            }
            insert.executeBatch();
        }
        connection.commit();
        connection.setAutoCommit(true);
        Function.create(connection, "rate", new Function() {
            @Override
            protected void xFunc() throws SQLException {
                result(rates.of(value_text(0)));
            }
        });
        return connection;
    }
}
