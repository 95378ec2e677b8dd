package prony.app;

import ${namespace}.servlet.ServletContext;

/** The endpoints of this application. */
public final class Endpoints {
    private Endpoints() {}

    public static void register(ServletContext context) {
        context.addServlet("crud", new Crud()).addMapping("/crud/*");
    }
}
