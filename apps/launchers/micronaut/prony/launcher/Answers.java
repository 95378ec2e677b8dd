package prony.launcher;

import io.micronaut.context.annotation.Executable;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MutableHttpResponse;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import prony.app.Handler;
import prony.app.Reply;
import prony.app.Routes;
import prony.app.Served;

/** Answers the requests of all routes. */
@Singleton
public class Answers {
    private final Map<String, Handler> routes = Routes.all();

    /** Answers at once. */
    @Executable
    public HttpResponse<byte[]> answer(HttpRequest<?> request) {
        return response(reply(request));
    }

    /** Answers after a wait, during which no thread is held. */
    @Executable
    public CompletionStage<MutableHttpResponse<byte[]>> answerLater(HttpRequest<?> request) {
        Reply reply = reply(request);
        Executor later = CompletableFuture.delayedExecutor(reply.millis, TimeUnit.MILLISECONDS);
        return CompletableFuture.supplyAsync(() -> response(reply), later);
    }

    private Reply reply(HttpRequest<?> request) {
        Served.here();
        return routes.get(request.getPath()).reply(name -> request.getParameters().get(name));
    }

    private static MutableHttpResponse<byte[]> response(Reply reply) {
        return HttpResponse.<byte[]>status(HttpStatus.valueOf(reply.status)).contentType(reply.type).body(reply.body);
    }
}
