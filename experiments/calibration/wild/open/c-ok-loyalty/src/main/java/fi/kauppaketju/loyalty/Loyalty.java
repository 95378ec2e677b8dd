package fi.kauppaketju.loyalty;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class Loyalty {
    public static void main(String[] args) {
        SpringApplication.run(Loyalty.class, args);
    }
}
