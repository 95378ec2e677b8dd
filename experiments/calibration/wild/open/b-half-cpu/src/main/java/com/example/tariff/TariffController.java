package com.example.tariff;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** What a customer would pay in each tariff, month by month. */
@RestController
public class TariffController {
    private static final int TARIFFS = 20;

    public record Month(int month, BigDecimal units, BigDecimal net, BigDecimal gross) {}

    public record Offer(String tariff, BigDecimal year, List<Month> months) {}

    @GetMapping("/offers")
    public List<Offer> offers(@RequestParam(defaultValue = "3500") int units) {
        List<Offer> offers = new ArrayList<>();
        for (int tariff = 1; tariff <= TARIFFS; tariff++) {
            List<Month> months = new ArrayList<>();
            BigDecimal year = BigDecimal.ZERO;
            for (int month = 1; month <= 12; month++) {
                BigDecimal used = BigDecimal.valueOf(units).multiply(season(month)).divide(BigDecimal.valueOf(12), 3, RoundingMode.HALF_UP);
                BigDecimal net = used.multiply(BigDecimal.valueOf(21_00 + tariff * 17L, 4)).add(BigDecimal.valueOf(850 + tariff * 20L, 2));
                BigDecimal gross = net.multiply(new BigDecimal("1.19")).setScale(2, RoundingMode.HALF_UP);
                months.add(new Month(month, used, net.setScale(2, RoundingMode.HALF_UP), gross));
                year = year.add(gross);
            }
            offers.add(new Offer("Tariff " + tariff, year, months));
        }
        return offers;
    }

    private static BigDecimal season(int month) {
        return BigDecimal.valueOf(100 + Math.abs(7 - month) * 8L, 2);
    }
}
