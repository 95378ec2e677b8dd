package prony.launcher;

import java.lang.management.ManagementFactory;
import org.eclipse.jetty.jmx.MBeanContainer;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.VirtualThreadPool;
import ${boot.jetty}.JettyServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Properties for settings that Boot has none for, and Jetty's MBeans, which tell the settings that took effect. */
@Configuration(proxyBeanMethods = false)
class JettySettings {
    /** Without an order, this runs after Boot's customizers, one of which installs a pool of virtual threads. */
    @Bean
    WebServerFactoryCustomizer<JettyServletWebServerFactory> jetty(Environment settings) {
        Integer virtualTasks = settings.getProperty("prony.jetty.virtual-tasks", Integer.class);
        Integer acceptQueue = settings.getProperty("prony.jetty.accept-queue", Integer.class);
        return factory -> {
            if (virtualTasks != null) {
                factory.setThreadPool(new VirtualThreadPool(virtualTasks)); // 0 means no limit; Boot's default is 200.
            }
            factory.addServerCustomizers(server -> prepare(server, acceptQueue));
        };
    }

    private static void prepare(Server server, Integer acceptQueue) {
        boolean compiled = System.getProperty("org.graalvm.nativeimage.imagecode") != null;
        if (!compiled) { // A native image has no MBeans.
            server.addBean(new MBeanContainer(ManagementFactory.getPlatformMBeanServer()));
        }
        for (Connector connector : server.getConnectors()) {
            if (acceptQueue != null && connector instanceof ServerConnector listener) {
                listener.setAcceptQueueSize(acceptQueue);
            }
        }
    }
}
