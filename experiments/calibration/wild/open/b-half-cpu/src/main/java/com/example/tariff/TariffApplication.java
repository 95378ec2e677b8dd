package com.example.tariff;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class TariffApplication {
    public static void main(String[] arguments) {
        SpringApplication.run(TariffApplication.class, arguments);
    }
}
