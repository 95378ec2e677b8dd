package com.example.reports;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import io.javalin.Javalin;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** GET /report?rows=N: the figures of N branches, and their sums. */
public final class ReportServer {
    private static final Gson GSON = new GsonBuilder().create();

    private ReportServer() {}

    public static void main(String[] arguments) {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        Javalin server = Javalin.create(config -> config.showJavalinBanner = false);
        server.get("/report", context -> {
            String rows = context.queryParam("rows");
            context.contentType("application/json").result(GSON.toJson(report(rows == null ? 100 : Integer.parseInt(rows))));
        });
        server.start(port);
    }

    private static Map<String, Object> report(int count) {
        List<Map<String, Object>> rows = new ArrayList<>();
        long revenue = 0;
        for (int i = 0; i < count; i++) {
            Map<String, Object> row = new LinkedHashMap<>();
            long cents = 100_000 + i * 7919L % 900_000;
            revenue += cents;
            row.put("branch", "Branch " + i);
            row.put("revenue", cents);
            row.put("share", cents / 1_000_000.0);
            row.put("trend", i % 3 == 0 ? "up" : "down");
            rows.add(row);
        }
        Map<String, Object> report = new LinkedHashMap<>();
        report.put("branches", rows);
        report.put("revenue", revenue);
        return report;
    }
}
