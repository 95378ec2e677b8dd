package com.example.addresses;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class AddressApplication {
    public static void main(String[] arguments) {
        SpringApplication.run(AddressApplication.class, arguments);
    }
}
