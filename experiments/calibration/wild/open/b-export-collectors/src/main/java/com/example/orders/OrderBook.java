package com.example.orders;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The orders of the year, kept in memory. */
final class OrderBook {
    private static final int ORDERS = 150_000;

    private final List<Order> orders = new ArrayList<>(ORDERS);

    static OrderBook load() {
        OrderBook book = new OrderBook();
        Random random = new Random(2025);
        LocalDate newYear = LocalDate.of(2025, 1, 1);
        for (int i = 0; i < ORDERS; i++) {
            book.orders.add(new Order(
                    4_000_000L + i,
                    "customer-" + random.nextInt(30_000),
                    "article-" + Integer.toHexString(random.nextInt(1 << 20)),
                    1 + random.nextInt(9),
                    100 + random.nextInt(90_000),
                    newYear.plusDays(random.nextInt(365))));
        }
        return book;
    }

    List<Order> ofMonth(int month) {
        return orders.stream().filter(order -> order.day().getMonthValue() == month).toList();
    }
}
