package com.example.bank;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.text.SimpleDateFormat;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.TimeZone;
import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.ObjectPool;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericObjectPool;

/** Keeps statements in a concurrent cache; the formats, which are not thread-safe, come from a pool. */
class CaffeineStatements implements Statements {
    private final Ledger ledger;
    private final Cache<String, Statement> cache = Caffeine.newBuilder().maximumSize(5000).build();
    private final ObjectPool<SimpleDateFormat> formats = new GenericObjectPool<>(new BasePooledObjectFactory<SimpleDateFormat>() {
        @Override
        public SimpleDateFormat create() {
            SimpleDateFormat format = new SimpleDateFormat("dd.MM.yyyy");
            format.setTimeZone(TimeZone.getTimeZone("UTC"));
            return format;
        }

        @Override
        public PooledObject<SimpleDateFormat> wrap(SimpleDateFormat format) {
            return new DefaultPooledObject<>(format);
        }
    });

    CaffeineStatements(Ledger ledger) {
        this.ledger = ledger;
    }

    @Override
    public Statement of(String account) {
        return cache.get(account, this::load);
    }

    private Statement load(String account) {
        SimpleDateFormat format = borrow();
        try {
            List<Statement.Line> lines = new ArrayList<>();
            ledger.bookings(account).lines().skip(1).forEach(line -> {
                String[] columns = line.split(";");
                String date = format.format(new Date(Long.parseLong(columns[0]) * 1000));
                lines.add(new Statement.Line(date, columns[1], columns[2]));
            });
            return new Statement(account, lines);
        } finally {
            giveBack(format);
        }
    }

    private SimpleDateFormat borrow() {
        try {
            return formats.borrowObject();
        } catch (Exception problem) {
            throw new IllegalStateException(problem);
        }
    }

    private void giveBack(SimpleDateFormat format) {
        try {
            formats.returnObject(format);
        } catch (Exception problem) {
            throw new IllegalStateException(problem);
        }
    }
}
