package prony.app;

import ${namespace}.servlet.ServletContextEvent;
import ${namespace}.servlet.ServletContextListener;

/** Registers the endpoints of the application when a WAR is deployed. The launchers of executable jars do the same. */
public class Deployed implements ServletContextListener {
    @Override
    public void contextInitialized(ServletContextEvent event) {
        Endpoints.register(event.getServletContext());
    }

    @Override
    public void contextDestroyed(ServletContextEvent event) {}
}
