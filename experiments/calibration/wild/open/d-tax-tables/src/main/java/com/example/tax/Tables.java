package com.example.tax;

import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import jakarta.servlet.annotation.WebListener;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** The tax tables of all municipalities and years, in memory from the start to the end. */
@WebListener
public class Tables implements ServletContextListener {
    record Row(int from, int until, double rate, double church) {}

    private static final int MUNICIPALITIES = 2200;
    private static final int YEARS = 12;
    private static final int ROWS = 150;

    @Override
    public void contextInitialized(ServletContextEvent event) {
        Map<String, List<Row>> tables = new HashMap<>();
        Random random = new Random(9);
        for (int municipality = 0; municipality < MUNICIPALITIES; municipality++) {
            for (int year = 0; year < YEARS; year++) {
                List<Row> rows = new ArrayList<>(ROWS);
                double rate = 0.02 + random.nextDouble() / 100;
                for (int i = 0; i < ROWS; i++) {
                    rows.add(new Row(i * 1000, i * 1000 + 999, rate, rate / 10));
                    rate += 0.001;
                }
                tables.put((1000 + municipality) + "/" + (2014 + year), rows);
            }
        }
        event.getServletContext().setAttribute("tables", tables);
    }
}
