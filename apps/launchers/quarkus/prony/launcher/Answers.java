package prony.launcher;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.util.Map;
import prony.app.Handler;
import prony.app.Reply;
import prony.app.Routes;
import prony.app.Served;

/** Serves the application by a resource of Quarkus REST. An annotation, which is fixed when it is built, chooses its threads. */
@Path("/")
public class Answers {
    private static final Map<String, Handler> ROUTES = Routes.all();

    @GET
    @Path("{path: .*}")
    @${quarkus.threads}
    public Response answer(@PathParam("path") String path, @Context UriInfo uri) throws InterruptedException {
        Served.here();
        Handler handler = ROUTES.get("/" + path);
        if (handler == null) {
            return Response.status(Response.Status.NOT_FOUND).build();
        }
        Reply reply = handler.reply(name -> uri.getQueryParameters().getFirst(name));
        if (reply.millis > 0) {
            Thread.sleep(reply.millis);
        }
        return Response.status(reply.status).type(reply.type).entity(reply.body).build();
    }
}
