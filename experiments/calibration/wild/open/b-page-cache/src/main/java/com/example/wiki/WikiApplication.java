package com.example.wiki;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

@SpringBootApplication
public class WikiApplication {
    public static void main(String[] arguments) {
        SpringApplication.run(WikiApplication.class, arguments);
    }

    /** Pages as they were rendered; about 3 kB each. */
    @Bean
    Cache<String, String> pages(@Value("${wiki.cached-pages}") long count) {
        return Caffeine.newBuilder().maximumSize(count).build();
    }
}
