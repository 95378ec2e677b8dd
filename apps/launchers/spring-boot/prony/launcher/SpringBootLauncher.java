package prony.launcher;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.servlet.ServletContextInitializer;
import org.springframework.context.annotation.Bean;
import prony.app.Endpoints;

/** Runs the application in Spring Boot: it registers the endpoints in the embedded server and leaves everything else to Boot. */
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
