package eu.customs;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class CustomsApplication {
    public static void main(String[] arguments) {
        SpringApplication.run(CustomsApplication.class, arguments);
    }
}
