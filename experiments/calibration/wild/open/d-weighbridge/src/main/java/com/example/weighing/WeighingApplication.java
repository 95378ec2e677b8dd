package com.example.weighing;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class WeighingApplication {
    public static void main(String[] args) {
        SpringApplication.run(WeighingApplication.class, args);
    }
}
