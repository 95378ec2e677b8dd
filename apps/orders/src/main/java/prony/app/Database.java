package prony.app;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ThreadLocalRandom;

/** Orders in a PostgreSQL, whose address is in the environment variable DATABASE_ADDRESS (HOST:PORT). The user postgres owns it. */
final class Database {
    private static final String URL = "jdbc:postgresql://" + System.getenv("DATABASE_ADDRESS") + "/postgres";
    private static final String USER = "postgres";
    private static final int ARTICLES = 60_000;
    private static final int ORDERS = 100;
    private static final int LINES = 40;
    private static final int CONNECTIONS = 32;

    /** The pool, with the tables behind it, once somebody needs them. */
    private static final class Pool {
        static final HikariDataSource CONNECTIONS_KEPT = open();

        private static HikariDataSource open() {
            HikariDataSource pool = new HikariDataSource();
            // A driver within a web application is found by its name only.
            pool.setDriverClassName("org.postgresql.Driver");
            pool.setJdbcUrl(URL);
            pool.setUsername(USER);
            pool.setMaximumPoolSize(CONNECTIONS);
            try (Connection connection = pool.getConnection(); Statement statement = connection.createStatement()) {
                statement.execute("create table article (id int primary key, name text not null, maker text not null)");
                statement.execute("create table line (orders int, place int, article int, primary key (orders, place))");
                statement.execute("create table counter (id int primary key, value bigint not null)");
                statement.execute("insert into article select id, 'article ' || id, 'maker ' || id from generate_series(1, "
                        + ARTICLES + ") id");
                statement.execute("insert into line select o, p, (o * 131 + p * 977) % " + ARTICLES + " + 1 from generate_series(1, "
                        + ORDERS + ") o, generate_series(1, " + LINES + ") p");
                statement.execute("insert into counter values (1, 0)");
                statement.execute("analyze");
            } catch (SQLException failed) {
                throw new IllegalStateException(failed);
            }
            return pool;
        }
    }

    private Database() {}

    private static int anyOrder() {
        return ThreadLocalRandom.current().nextInt(ORDERS) + 1;
    }

    /** Returns the number of lines of an order, read with their articles at once. */
    static int orderJoined() throws SQLException {
        try (Connection connection = Pool.CONNECTIONS_KEPT.getConnection()) {
            return joined(connection);
        }
    }

    /** The same on a connection that is opened for it. */
    static int orderOnNewConnection() throws SQLException {
        Pool.CONNECTIONS_KEPT.getMaximumPoolSize();
        try (Connection connection = DriverManager.getConnection(URL, USER, "")) {
            return joined(connection);
        }
    }

    private static int joined(Connection connection) throws SQLException {
        String query = "select place, name from line join article on article.id = line.article where orders = ?";
        int lines = 0;
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            statement.setInt(1, anyOrder());
            try (ResultSet found = statement.executeQuery()) {
                while (found.next()) {
                    lines += found.getString(2).isEmpty() ? 0 : 1;
                }
            }
        }
        return lines;
    }

    /** The same with a query for the lines, and one more for the article of each of them. */
    static int orderLineByLine() throws SQLException {
        int lines = 0;
        try (Connection connection = Pool.CONNECTIONS_KEPT.getConnection();
                PreparedStatement ofOrder = connection.prepareStatement("select article from line where orders = ?")) {
            ofOrder.setInt(1, anyOrder());
            try (ResultSet found = ofOrder.executeQuery()) {
                while (found.next()) {
                    lines += article(connection, found.getInt(1)).isEmpty() ? 0 : 1;
                }
            }
        }
        return lines;
    }

    private static String article(Connection connection, int id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("select name from article where id = ?")) {
            statement.setInt(1, id);
            try (ResultSet found = statement.executeQuery()) {
                return found.next() ? found.getString(1) : "";
            }
        }
    }

    /** Returns the number of articles of a maker, for which there is no index. */
    static int articlesOfMaker() throws SQLException {
        int id = ThreadLocalRandom.current().nextInt(ARTICLES) + 1;
        try (Connection connection = Pool.CONNECTIONS_KEPT.getConnection(); Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("select count(*) from article where lower(maker) = 'maker " + id + "'")) {
            return found.next() ? found.getInt(1) : 0;
        }
    }

    /** Returns 1 after some tenths of a second of work in the database. */
    static int board() throws SQLException {
        String query = "select count(*) > 0 from article, generate_series(1, 2) part where md5(maker || part) like '%9'";
        try (Connection connection = Pool.CONNECTIONS_KEPT.getConnection(); Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(query)) {
            return found.next() && found.getBoolean(1) ? 1 : 0;
        }
    }

    /** Counts in the one row that all requests share, which stays locked for 5 ms. */
    static String count() throws SQLException, InterruptedException {
        try (Connection connection = Pool.CONNECTIONS_KEPT.getConnection(); Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.executeUpdate("update counter set value = value + 1 where id = 1");
            Thread.sleep(5);
            connection.commit();
            connection.setAutoCommit(true);
        }
        return "counted";
    }
}
