package prony.launcher;

import java.time.Duration;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.server.RequestPredicates;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import prony.app.Handler;
import prony.app.Reply;
import prony.app.Routes;
import reactor.core.publisher.Mono;

/** Runs the application in Spring WebFlux: it routes its paths to its handlers and leaves everything else to Boot. */
@SpringBootApplication(proxyBeanMethods = false)
public class SpringBootLauncher {
    public static void main(String[] arguments) {
        SpringApplication.run(SpringBootLauncher.class, arguments);
    }

    /** The routes of the application, and none for an application of files, which Boot serves by itself. */
    @Bean
    RouterFunction<ServerResponse> routes() {
        RouterFunction<ServerResponse> routes = request -> Mono.empty();
        for (var route : Routes.all().entrySet()) {
            Handler handler = route.getValue();
            var get = RequestPredicates.method(HttpMethod.GET).and(RequestPredicates.path(route.getKey()));
            routes = routes.and(RouterFunctions.route(get, request -> answer(request, handler)));
        }
        return routes;
    }

    private static Mono<ServerResponse> answer(ServerRequest request, Handler handler) {
        Reply reply = handler.reply(name -> request.queryParam(name).orElse(null));
        MediaType type = MediaType.parseMediaType(reply.type);
        Mono<ServerResponse> response = ServerResponse.status(reply.status).contentType(type).bodyValue(reply.body);
        return reply.millis > 0 ? Mono.delay(Duration.ofMillis(reply.millis)).then(response) : response;
    }
}
