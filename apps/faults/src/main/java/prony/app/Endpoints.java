package prony.app;

import java.util.EnumSet;
import ${namespace}.servlet.DispatcherType;
import ${namespace}.servlet.ServletContext;

/**
 * The endpoints of this application: fixed answers, each after some work that limits a server in a different way. The files of
 * experiments/calibration/faults use them to prove that prony finds the cause by its effect.
 */
public final class Endpoints {
    private Endpoints() {}

    public static void register(ServletContext context) {
        context.addServlet("answers", new Answers()).addMapping("/*");
        context.addServlet("upload", new Upload()).addMapping("/upload");
        context.addServlet("labels", new Labels()).addMapping("/labels");
        context.addServlet("export", new Export()).addMapping("/export");
        before(context, "digest", Digest::compute);
        before(context, "archive", new Archive()::renew);
        before(context, "ticket", new Ticket()::draw);
        before(context, "session", new Sessions()::use);
        before(context, "journal", new Journal()::write);
        before(context, "index", new Index()::lookUp);
        before(context, "stock", new Stock()::check);
        before(context, "quotation", new Quotation()::ask);
        before(context, "receipt", new Receipt()::write);
        before(context, "order", new Order()::check);
        before(context, "gate", new Gate()::pass);
        before(context, "transfer", new Transfer()::move);
        before(context, "visit", new Visits()::remember);
        before(context, "price", new Prices()::read);
        before(context, "permit", new Permits()::use);
        before(context, "pulse", new Pulse()::answer);
        before(context, "statement", new Statement()::prepare);
        before(context, "event", new Events()::record);
        before(context, "rates", new Rates()::read);
    }

    private static void before(ServletContext context, String path, Before.Work work) {
        EnumSet<DispatcherType> requests = EnumSet.of(DispatcherType.REQUEST);
        context.addFilter(path, new Before(work)).addMappingForUrlPatterns(requests, false, "/" + path);
    }
}
