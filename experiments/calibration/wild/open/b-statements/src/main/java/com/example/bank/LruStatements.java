package com.example.bank;

import java.text.SimpleDateFormat;
import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;

/** Keeps the statements that were used last. SimpleDateFormat and the map are not thread-safe, so access is synchronized. */
class LruStatements implements Statements {
    private static final int STATEMENTS = 5000;

    private final Ledger ledger;
    private final SimpleDateFormat format = new SimpleDateFormat("dd.MM.yyyy");
    private final Map<String, Statement> cache = new LinkedHashMap<>(256, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Statement> eldest) {
            return size() > STATEMENTS;
        }
    };

    LruStatements(Ledger ledger) {
        this.ledger = ledger;
        format.setTimeZone(TimeZone.getTimeZone("UTC"));
    }

    @Override
    public synchronized Statement of(String account) {
        Statement statement = cache.get(account);
        if (statement == null) {
            statement = load(account);
            cache.put(account, statement);
        }
        return statement;
    }

    private Statement load(String account) {
        List<Statement.Line> lines = new ArrayList<>();
        ledger.bookings(account).lines().skip(1).forEach(line -> {
            String[] columns = line.split(";");
            String date = format.format(new Date(Long.parseLong(columns[0]) * 1000));
            lines.add(new Statement.Line(date, columns[1], columns[2]));
        });
        return new Statement(account, lines);
    }
}
