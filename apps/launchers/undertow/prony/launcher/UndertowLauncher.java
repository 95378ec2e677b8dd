package prony.launcher;

import io.undertow.Undertow;
import io.undertow.UndertowOptions;
import io.undertow.server.handlers.resource.ClassPathResourceManager;
import io.undertow.servlet.Servlets;
import io.undertow.servlet.api.DeploymentInfo;
import io.undertow.servlet.api.DeploymentManager;
import io.undertow.servlet.api.ServletContainerInitializerInfo;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import ${namespace}.servlet.ServletContainerInitializer;
import ${namespace}.servlet.ServletContext;
import org.xnio.Options;
import prony.app.Endpoints;

/** Runs the application in an embedded Undertow. Arguments are NAME=VALUE; settings without an argument keep Undertow's defaults. */
public final class UndertowLauncher {
    /** The endpoints in the form that Undertow takes. */
    public static final class Initializer implements ServletContainerInitializer {
        @Override
        public void onStartup(Set<Class<?>> classes, ServletContext context) {
            Endpoints.register(context);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, String> settings = new HashMap<>();
        for (String argument : arguments) {
            String[] setting = argument.split("=", 2);
            settings.put(setting[0], setting[1]);
        }
        DeploymentManager application = deployed("virtual".equals(settings.get("threads")));
        Undertow.Builder builder = Undertow.builder().setHandler(application.start());
        listen(builder, Integer.parseInt(settings.get("port")), settings);
        configure(builder, settings);
        Undertow server = builder.build();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server, application)));
        server.start();
        Executor executor = application.getDeployment().getExecutor();
        System.err.println("prony: requests are served by "
                + (executor == null ? "the worker" : executor.getClass().getName()));
        server.getListenerInfo().forEach(listener -> System.err.println("prony: listens for " + listener.getProtcol()));
        System.err.println("prony: everything is deployed");
    }

    private static void listen(Undertow.Builder builder, int port, Map<String, String> settings)
            throws GeneralSecurityException, IOException {
        String host = settings.getOrDefault("host", "127.0.0.1");
        String file = settings.get("key-store");
        if (file == null) {
            builder.addHttpListener(port, host);
            return;
        }
        char[] password = settings.get("key-store-password").toCharArray();
        KeyStore store = KeyStore.getInstance(settings.get("key-store-type"));
        try (InputStream stream = Files.newInputStream(Paths.get(file))) {
            store.load(stream, password);
        }
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, password);
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(keys.getKeyManagers(), null, null);
        builder.addHttpsListener(port, host, tls);
    }

    private static DeploymentManager deployed(boolean virtual) throws ReflectiveOperationException {
        ClassLoader loader = UndertowLauncher.class.getClassLoader();
        DeploymentInfo application = Servlets.deployment()
                .setClassLoader(loader)
                .setDeploymentName("app")
                .setContextPath("/")
                .setResourceManager(new ClassPathResourceManager(loader, "META-INF/resources"))
                .addServletContainerInitializer(new ServletContainerInitializerInfo(Initializer.class, Collections.emptySet()));
        if (virtual) { // By reflection, because this is also compiled for Java versions without virtual threads.
            Object executor = Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
            application.setExecutor((Executor) executor);
        }
        DeploymentManager manager = Servlets.defaultContainer().addDeployment(application);
        manager.deploy();
        return manager;
    }

    private static void configure(Undertow.Builder builder, Map<String, String> settings) {
        settings.forEach((name, value) -> {
            switch (name) {
                case "threads":
                    if (!"virtual".equals(value)) {
                        builder.setWorkerThreads(Integer.parseInt(value));
                    }
                    break;
                case "min-threads":
                    builder.setWorkerOption(Options.WORKER_TASK_CORE_THREADS, Integer.parseInt(value));
                    break;
                case "accept-queue":
                    builder.setSocketOption(Options.BACKLOG, Integer.parseInt(value));
                    break;
                case "max-connections":
                    builder.setSocketOption(Options.CONNECTION_HIGH_WATER, Integer.parseInt(value));
                    builder.setSocketOption(Options.CONNECTION_LOW_WATER, Integer.parseInt(value));
                    break;
                case "http2":
                    builder.setServerOption(UndertowOptions.ENABLE_HTTP2, Boolean.valueOf(value));
                    break;
                case "max-streams":
                    builder.setServerOption(UndertowOptions.HTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, Integer.parseInt(value));
                    break;
                case "host":
                case "port":
                case "key-store":
                case "key-store-type":
                case "key-store-password":
                    break;
                default:
                    throw new IllegalArgumentException("no such setting: " + name);
            }
        });
    }

    private static void stop(Undertow server, DeploymentManager application) {
        server.stop();
        try {
            application.stop();
        } catch (Exception problem) {
            problem.printStackTrace();
        }
        application.undeploy();
    }

    private UndertowLauncher() {}
}
