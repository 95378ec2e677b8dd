package com.example.stations;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.javalin.Javalin;
import java.sql.SQLException;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** Water levels of rivers. */
public final class Main {
    private Main() {}

    public static void main(String[] args) throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:levels;DB_CLOSE_DELAY=-1");
        config.setMaximumPoolSize(10);
        Levels levels = new Levels(new HikariDataSource(config));
        levels.fill();
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        Javalin.create(settings -> {
            settings.showJavalinBanner = false;
            settings.jetty.threadPool = new QueuedThreadPool(220, 200);
        }).get("/stations/{station}/level", context -> {
            context.contentType("application/json");
            context.result(levels.of(Integer.parseInt(context.pathParam("station"))));
        }).start("127.0.0.1", port);
    }
}
