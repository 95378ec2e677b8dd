package com.marktgasse.carts;

import java.nio.charset.StandardCharsets;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Component;

/** Fills an empty store with the carts of a normal day. */
@Component
class Samples implements InitializingBean {
    private final StringRedisTemplate redis;
    private final int customers;

    Samples(StringRedisTemplate redis, @Value("${carts.customers}") int customers) {
        this.redis = redis;
        this.customers = customers;
    }

    @Override
    public void afterPropertiesSet() {
        for (int from = 0; from < customers; from += 1000) {
            int first = from;
            redis.executePipelined((RedisCallback<Object>) connection -> {
                for (int customer = first; customer < first + 1000; customer++) {
                    for (String shop : Cart.SHOPS) {
                        byte[] key = Cart.key(customer, shop).getBytes(StandardCharsets.UTF_8);
                        connection.stringCommands().set(key, "{\"lines\":2,\"cents\":4590}".getBytes(StandardCharsets.UTF_8));
                        connection.setCommands().sAdd(Cart.index(customer).getBytes(StandardCharsets.UTF_8), key);
                    }
                }
                return null;
            });
        }
    }
}
