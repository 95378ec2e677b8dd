package ticks;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class Main {
    public static void main(String[] arguments) {
        SpringApplication.run(Main.class, arguments);
    }
}
