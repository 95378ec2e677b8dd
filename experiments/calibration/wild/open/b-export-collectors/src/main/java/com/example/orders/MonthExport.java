package com.example.orders;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;

/** The export of a month: a CSV file as our partners import it. */
final class MonthExport {
    /** A row as it is exported, every column already a text. */
    private record Row(String id, String customer, String article, String quantity, String net, String gross, String day) {}

    private static final BigDecimal VAT = new BigDecimal("1.19");

    private final List<Row> rows = new ArrayList<>();

    MonthExport(List<Order> orders) {
        for (Order order : orders) {
            BigDecimal net = BigDecimal.valueOf(order.cents(), 2).multiply(BigDecimal.valueOf(order.quantity()));
            rows.add(new Row(
                    Long.toString(order.id()),
                    order.customer(),
                    order.article(),
                    Integer.toString(order.quantity()),
                    net.toPlainString(),
                    net.multiply(VAT).toPlainString(),
                    order.day().toString()));
        }
    }

    int rows() {
        return rows.size();
    }

    byte[] csv() {
        StringBuilder text = new StringBuilder("id;customer;article;quantity;net;gross;day\n");
        for (Row row : rows) {
            text.append(String.join(";", row.id, row.customer, row.article, row.quantity, row.net, row.gross, row.day)).append('\n');
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    static String checksum(byte[] csv) {
        CRC32 crc = new CRC32();
        crc.update(csv);
        return Long.toHexString(crc.getValue());
    }
}
