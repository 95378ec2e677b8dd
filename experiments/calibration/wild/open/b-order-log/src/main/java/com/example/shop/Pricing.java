package com.example.shop;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Service;

/** Prices an order line by line. The auditors want to see how each price came about. */
@Service
public class Pricing {
    static final int LINES = 25;

    private static final Logger LOG = LoggerFactory.getLogger(Pricing.class);

    public long total(String order) {
        long total = 0;
        for (int line = 1; line <= LINES; line++) {
            total += price(order, line);
        }
        LOG.info("order {} total {}", order, total);
        return total;
    }

    private long price(String order, int line) {
        long base = 500 + line * 37L;
        LOG.info("order {} line {} base price {}", order, line, base);
        long discount = line % 3 == 0 ? base / 10 : 0;
        LOG.info("order {} line {} discount {}", order, line, discount);
        return base - discount;
    }
}
