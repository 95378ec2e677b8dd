package catalog.api;

import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import java.net.InetSocketAddress;

/** The catalogue's API on an embedded Jetty. */
public final class Main {
    private Main() {}

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        String threads = System.getenv("REVIEW_THREADS");
        Executor executor = threads == null ? null : Executors.newFixedThreadPool(Integer.parseInt(threads));
        Reviews reviews = new Reviews(LocalReviews.start());

        ServletHolder holder = new ServletHolder(new ArticleServlet(reviews, executor));
        holder.setAsyncSupported(true);
        ServletContextHandler context = new ServletContextHandler("/");
        context.addServlet(holder, "/article");
        Server server = new Server(new InetSocketAddress("127.0.0.1", port));
        server.setHandler(context);
        server.setStopAtShutdown(true);
        server.start();
        server.join();
    }
}
