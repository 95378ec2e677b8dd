package catalog.api;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** An article with its reviews. Nothing blocks the server's threads. */
final class ArticleServlet extends HttpServlet {
    private final transient Reviews reviews;
    private final transient Executor executor;

    /** If `executor` is null, futures run where the JDK lets them run. */
    ArticleServlet(Reviews reviews, Executor executor) {
        this.reviews = reviews;
        this.executor = executor;
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) {
        String article = request.getParameter("id");
        AsyncContext context = request.startAsync();
        CompletableFuture<String> future = executor == null
                ? CompletableFuture.supplyAsync(() -> reviews.of(article))
                : CompletableFuture.supplyAsync(() -> reviews.of(article), executor);
        future.thenApply(found -> "{\"article\":\"" + article + "\",\"title\":\"Espresso cup\",\"reviews\":" + found + "}")
                .whenComplete((answer, problem) -> answer(context, answer, problem));
    }

    private static void answer(AsyncContext context, String answer, Throwable problem) {
        HttpServletResponse response = (HttpServletResponse) context.getResponse();
        try {
            if (problem != null) {
                response.setStatus(HttpServletResponse.SC_BAD_GATEWAY);
            } else {
                byte[] body = answer.getBytes(StandardCharsets.UTF_8);
                response.setContentType("application/json");
                response.setContentLength(body.length);
                response.getOutputStream().write(body);
            }
        } catch (IOException gone) {
            // The client has left.
        } finally {
            context.complete();
        }
    }
}
