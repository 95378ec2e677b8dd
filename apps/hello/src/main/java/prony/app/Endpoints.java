package prony.app;

import ${namespace}.servlet.ServletContext;

/** The endpoints of this application. */
public final class Endpoints {
    private Endpoints() {}

    public static void register(ServletContext context) {
        context.addServlet("answers", new Answers()).addMapping("/*");
        Burn.register(context);
        Stall.register(context);
        Garbage.register(context);
    }
}
