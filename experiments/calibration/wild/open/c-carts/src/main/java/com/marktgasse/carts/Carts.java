package com.marktgasse.carts;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

@SpringBootApplication
public class Carts {
    public static void main(String[] args) {
        SpringApplication.run(Carts.class, args);
    }

    @Bean
    LettuceConnectionFactory redis(@Value("${REDIS_ADDRESS:127.0.0.1:6379}") String address) {
        int colon = address.lastIndexOf(':');
        return new LettuceConnectionFactory(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
    }
}
