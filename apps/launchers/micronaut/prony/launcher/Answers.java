package prony.launcher;

import io.micronaut.context.annotation.Executable;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MutableHttpResponse;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Map;
import prony.app.Handler;
import prony.app.Reply;
import prony.app.Routes;
import prony.app.Served;
import reactor.core.publisher.Mono;

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
    public Mono<MutableHttpResponse<byte[]>> answerLater(HttpRequest<?> request) {
        Reply reply = reply(request);
        return Mono.delay(Duration.ofMillis(reply.millis)).map(over -> response(reply));
    }

    private Reply reply(HttpRequest<?> request) {
        Served.here();
        return routes.get(request.getPath()).reply(name -> request.getParameters().get(name));
    }

    private static MutableHttpResponse<byte[]> response(Reply reply) {
        return HttpResponse.<byte[]>status(HttpStatus.valueOf(reply.status)).contentType(reply.type).body(reply.body);
    }
}
