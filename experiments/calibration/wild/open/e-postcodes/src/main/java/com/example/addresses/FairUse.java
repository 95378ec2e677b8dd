package com.example.addresses;

import io.github.bucket4j.Bucket;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** What a customer may ask for. */
@Configuration
class FairUse implements WebMvcConfigurer, HandlerInterceptor {
    private final Bucket bucket;

    FairUse(@Value("${addresses.requests-per-second}") int perSecond) {
        bucket = Bucket.builder()
                .addLimit(limit -> limit.capacity(Math.max(1, perSecond / 10)).refillGreedy(perSecond, Duration.ofSeconds(1)))
                .build();
    }

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(this);
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) throws InterruptedException {
        bucket.asBlocking().consume(1);
        return true;
    }
}
