package nl.vanderberg.invoices;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration;

@SpringBootApplication(exclude = DataSourceAutoConfiguration.class)
public class Invoices {
    public static void main(String[] args) {
        SpringApplication.run(Invoices.class, args);
    }
}
