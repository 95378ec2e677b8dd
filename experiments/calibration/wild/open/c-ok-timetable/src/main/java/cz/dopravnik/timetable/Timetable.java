package cz.dopravnik.timetable;

import io.undertow.Handlers;
import io.undertow.Undertow;
import io.undertow.server.HttpServerExchange;
import io.undertow.util.Headers;

/** The next departures of a stop, from the timetable of the whole country, which is in memory. */
public class Timetable {
    public static void main(String[] args) {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        Departures departures = Departures.load(Integer.getInteger("timetable.stops", 230_000));
        Undertow.builder()
            .addHttpListener(port, "127.0.0.1")
            .setHandler(Handlers.pathTemplate().add("/stops/{stop}", exchange -> answer(exchange, departures)))
            .build()
            .start();
    }

    private static void answer(HttpServerExchange exchange, Departures departures) {
        int stop = Integer.parseUnsignedInt(exchange.getQueryParameters().get("stop").getFirst()) & Integer.MAX_VALUE;
        StringBuilder json = new StringBuilder(512).append("{\"departures\":[");
        int noon = 12 * 60;
        int shown = 0;
        for (int i = departures.firstAfter(stop, noon); i < Departures.A_DAY && shown < 8; i++, shown++) {
            int minute = departures.minute(stop, i);
            json.append(shown == 0 ? "" : ",")
                .append("{\"line\":").append(departures.line(stop, i))
                .append(",\"time\":\"").append(minute / 60).append(':').append(minute % 60 / 10).append(minute % 10).append("\"}");
        }
        exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, "application/json");
        exchange.getResponseSender().send(json.append("]}").toString());
    }
}
