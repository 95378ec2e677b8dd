package ch.wetterdienst.weather;

import com.google.gson.Gson;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.Executors;

/** The weather of a place: readings of the nearest station, in words for the front page. */
public class Weather {
    private final Gson gson = new Gson();
    private final Stations stations;

    Weather(Stations stations) {
        this.stations = stations;
    }

    public static void main(String[] args) throws IOException {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        String address = System.getenv().getOrDefault("STATIONS_ADDRESS", "127.0.0.1:9710");
        Weather weather = new Weather(new Stations(address, Boolean.getBoolean("stations.keep")));
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 256);
        server.createContext("/weather", weather::answer);
        server.setExecutor(Executors.newFixedThreadPool(64));
        server.start();
    }

    private void answer(HttpExchange exchange) throws IOException {
        int status = 200;
        Object body;
        try {
            Reading reading = gson.fromJson(stations.latest(), Reading.class);
            body = Map.of("text", words(reading));
        } catch (IOException | RuntimeException e) {
            status = 502;
            body = Map.of("error", String.valueOf(e.getMessage()));
        }
        byte[] bytes = gson.toJson(body).getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private static String words(Reading reading) {
        String wind = reading.gusts > 60 ? "stormy" : reading.wind > 30 ? "windy" : "calm";
        return reading.station + ": " + reading.celsius + " degrees, " + wind + ", " + reading.snow + " cm of snow";
    }

    private record Reading(String station, double celsius, int wind, int gusts, int snow) {
    }
}
