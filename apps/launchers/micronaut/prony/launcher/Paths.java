package prony.launcher;

import io.micronaut.context.ExecutionHandleLocator;
import io.micronaut.core.convert.ConversionService;
import io.micronaut.http.HttpRequest;
import io.micronaut.web.router.DefaultRouteBuilder;
import jakarta.inject.Singleton;
import prony.app.Routes;

/** Routes the paths of the application. */
@Singleton
public class Paths extends DefaultRouteBuilder {
    Paths(ExecutionHandleLocator handles, UriNamingStrategy naming, ConversionService conversion, Answers answers) {
        super(handles, naming, conversion);
        Routes.all().forEach((path, handler) ->
                GET(path, answers, handler.waits() ? "answerLater" : "answer", HttpRequest.class));
    }
}
