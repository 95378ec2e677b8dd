package prony.launcher;

import io.undertow.servlet.api.DeploymentInfo;
import java.util.concurrent.Executor;
import org.springframework.boot.web.embedded.undertow.UndertowServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Logs what serves requests, which only the deployment knows: an executor of virtual threads, or else the worker. */
@Configuration(proxyBeanMethods = false)
class UndertowSettings {
    /** Without an order, this runs after Boot's customizers, one of which sets the executor. */
    @Bean
    WebServerFactoryCustomizer<UndertowServletWebServerFactory> undertow() {
        return factory -> factory.addDeploymentInfoCustomizers(UndertowSettings::tell);
    }

    private static void tell(DeploymentInfo deployment) {
        Executor executor = deployment.getExecutor();
        System.err.println("prony: requests are served by "
                + (executor == null ? "the worker" : executor.getClass().getName()));
    }
}
