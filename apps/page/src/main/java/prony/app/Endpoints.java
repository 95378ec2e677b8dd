package prony.app;

import ${namespace}.servlet.ServletContext;

/** This application has no endpoints: its page is a file, which the server itself serves. */
public final class Endpoints {
    private Endpoints() {}

    public static void register(ServletContext context) {}
}
