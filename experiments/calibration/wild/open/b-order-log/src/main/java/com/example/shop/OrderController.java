package com.example.shop;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

@RestController
public class OrderController {
    public record Quote(String order, int lines, long cents) {}

    private final Pricing pricing;

    public OrderController(Pricing pricing) {
        this.pricing = pricing;
    }

    @GetMapping("/orders/{order}/quote")
    public Quote quote(@PathVariable String order) {
        return new Quote(order, Pricing.LINES, pricing.total(order));
    }
}
