package prony.app;

import ${namespace}.servlet.ServletContext;

/** Nothing of its own: the page is a file, served by what the server has for files. */
public final class Endpoints {
    private Endpoints() {}

    public static void register(ServletContext context) {}
}
