package com.marktgasse.carts;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

@RestController
class CartController {
    private final StringRedisTemplate redis;
    private final boolean byPattern;
    private final int customers;

    CartController(StringRedisTemplate redis, @Value("${carts.find}") String find, @Value("${carts.customers}") int customers) {
        this.redis = redis;
        this.byPattern = find.equals("pattern");
        this.customers = customers;
    }

    /** All carts of a customer, whatever the shop. */
    @GetMapping("/customers/{number}/carts")
    Map<String, Object> carts(@PathVariable long number) {
        long customer = number % customers;
        Set<String> keys = byPattern ? redis.keys(Cart.pattern(customer)) : redis.opsForSet().members(Cart.index(customer));
        List<String> carts = redis.opsForValue().multiGet(keys.stream().sorted().toList());
        return Map.of("carts", carts);
    }
}
