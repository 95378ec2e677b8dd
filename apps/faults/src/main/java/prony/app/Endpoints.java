package prony.app;

import java.util.EnumSet;
import ${namespace}.servlet.DispatcherType;
import ${namespace}.servlet.ServletContext;

/**
 * What this application serves: fixed answers, before each of which something is done that limits a server in a way of its
 * own. Here for the files of experiments/calibration/faults, which prove that prony finds the cause by its effect.
 */
public final class Endpoints {
    private Endpoints() {}

    public static void register(ServletContext context) {
        context.addServlet("answers", new Answers()).addMapping("/*");
        before(context, "digest", Digest::compute);
        before(context, "archive", new Archive()::renew);
        before(context, "ticket", new Ticket()::draw);
        before(context, "session", new Sessions()::use);
        before(context, "journal", new Journal()::write);
        before(context, "index", new Index()::lookUp);
        before(context, "stock", new Stock()::check);
    }

    private static void before(ServletContext context, String path, Before.Work work) {
        EnumSet<DispatcherType> requests = EnumSet.of(DispatcherType.REQUEST);
        context.addFilter(path, new Before(work)).addMappingForUrlPatterns(requests, false, "/" + path);
    }
}
