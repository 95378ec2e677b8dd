package com.example.stations;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** The levels of the last day. */
final class Levels {
    private static final int STATIONS = 400;
    private static final int OF_STATION = 48;

    private final DataSource database;

    Levels(DataSource database) {
        this.database = database;
    }

    void fill() throws SQLException {
        try (Connection connection = database.getConnection(); Statement statement = connection.createStatement()) {
            statement.execute("create table level(station int, half_hour int, centimetres int, primary key (station, half_hour))");
            try (PreparedStatement insert = connection.prepareStatement("insert into level values (?, ?, ?)")) {
                for (int station = 0; station < STATIONS; station++) {
                    for (int halfHour = 0; halfHour < OF_STATION; halfHour++) {
                        insert.setInt(1, station);
                        insert.setInt(2, halfHour);
                        insert.setInt(3, 120 + (station * 7 + halfHour * 3) % 90);
                        insert.addBatch();
                    }
                    insert.executeBatch();
                }
            }
        }
    }

    String of(int station) throws SQLException {
        StringBuilder json = new StringBuilder("[");
        try (Connection connection = database.getConnection();
                PreparedStatement query = connection.prepareStatement(
                        "select half_hour, centimetres from level where station = ? order by half_hour")) {
            travel();
            query.setInt(1, station);
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    json.append(json.length() > 1 ? "," : "").append('[').append(rows.getInt(1)).append(',').append(rows.getInt(2)).append(']');
                }
            }
        }
        return json.append(']').toString();
    }

    /** Stands for the way to the database of the waterways, which is in another city. */
    private static void travel() throws SQLException {
        try {
            Thread.sleep(7);
        } catch (InterruptedException e) {
            throw new SQLException(e);
        }
    }
}
