package com.example.tills;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class TillsApplication {
    public static void main(String[] arguments) {
        SpringApplication.run(TillsApplication.class, arguments);
    }
}
