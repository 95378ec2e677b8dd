package ticks;

import io.smallrye.mutiny.Multi;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.time.Duration;
import org.jboss.resteasy.reactive.RestStreamElementType;

@Path("/ticks")
public class Ticks {
    @GET
    @Produces(MediaType.SERVER_SENT_EVENTS)
    @RestStreamElementType(MediaType.APPLICATION_JSON)
    public Multi<Tick> ticks(@QueryParam("events") int events, @QueryParam("millis") @DefaultValue("0") long millis) {
        Multi<Long> numbers = millis == 0
                ? Multi.createFrom().range(0, events).map(Integer::longValue)
                : Multi.createFrom().ticks().every(Duration.ofMillis(millis)).select().first(events);
        return numbers.map(Tick::at);
    }
}
