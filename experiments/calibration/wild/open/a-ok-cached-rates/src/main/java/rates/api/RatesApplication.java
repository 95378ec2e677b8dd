package rates.api;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class RatesApplication {
    public static void main(String[] args) {
        SpringApplication.run(RatesApplication.class, args);
    }
}
