package prony.launcher;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.servlet.ServletContextInitializer;
import org.springframework.context.annotation.Bean;
import prony.app.Endpoints;

/** The application in Spring Boot: its endpoints in the embedded server, everything else as Boot sets it up. */
@SpringBootApplication(proxyBeanMethods = false)
public class SpringBootLauncher {
    public static void main(String[] arguments) {
        SpringApplication.run(SpringBootLauncher.class, arguments);
    }

    @Bean
    ServletContextInitializer endpoints() {
        return Endpoints::register;
    }
}
