package prony.app;

import ${namespace}.servlet.ServletContextEvent;
import ${namespace}.servlet.ServletContextListener;

/** Registers the application's endpoints where a WAR is deployed; the launchers of executable jars do the same. */
public class Deployed implements ServletContextListener {
    @Override
    public void contextInitialized(ServletContextEvent event) {
        Endpoints.register(event.getServletContext());
    }

    @Override
    public void contextDestroyed(ServletContextEvent event) {}
}
