package sales.report;

import java.net.InetSocketAddress;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;

/** Reports of sales on an embedded Jetty. */
public final class Main {
    private Main() {}

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        int connections = Integer.parseInt(System.getenv().getOrDefault("DB_CONNECTIONS", "4"));
        ServletContextHandler context = new ServletContextHandler("/");
        context.addServlet(new ServletHolder(new ReportServlet(new Sales(connections))), "/report");
        Server server = new Server(new InetSocketAddress("127.0.0.1", port));
        server.setHandler(context);
        server.setStopAtShutdown(true);
        server.start();
        server.join();
    }
}
