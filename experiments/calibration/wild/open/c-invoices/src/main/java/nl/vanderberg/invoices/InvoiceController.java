package nl.vanderberg.invoices;

import java.util.Map;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

@RestController
class InvoiceController {
    private final JdbcTemplate template;
    private final Rates rates;
    private final boolean ratesInQuery;

    InvoiceController(JdbcTemplate template, Rates rates, @Value("${invoices.rates}") String where) {
        this.template = template;
        this.rates = rates;
        this.ratesInQuery = where.equals("query");
    }

    /** The total of an invoice in euros, at the rate of the day. */
    @GetMapping("/invoices/{number}/total")
    Map<String, Object> total(@PathVariable long number) {
        long invoice = number % 200;
        Long cents;
        if (ratesInQuery) {
            cents = template.queryForObject(
                "select cast(total / rate(currency) as int) from"
                    + " (select sum(cents) as total, currency from line where invoice = ? group by currency)",
                Long.class, invoice);
        } else {
            double rate = rates.of("USD");
            cents = template.queryForObject(
                "select cast(sum(cents) / ? as int) from line where invoice = ? and currency = 'USD'", Long.class, rate, invoice);
        }
        return Map.of("total", cents);
    }
}
