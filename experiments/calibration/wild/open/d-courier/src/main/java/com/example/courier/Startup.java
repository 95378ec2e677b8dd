package com.example.courier;

import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import jakarta.servlet.annotation.WebListener;

@WebListener
public class Startup implements ServletContextListener {
    private Sandbox sandbox;

    @Override
    public void contextInitialized(ServletContextEvent event) {
        try {
            sandbox = Sandbox.start();
            event.getServletContext().setAttribute("courier", new CourierApi(sandbox.address(), sandbox.certificates(), Boolean.getBoolean("courier.keepClient")));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void contextDestroyed(ServletContextEvent event) {
        if (sandbox != null) {
            sandbox.stop();
        }
    }
}
