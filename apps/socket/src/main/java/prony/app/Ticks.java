package prony.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import ${namespace}.websocket.Endpoint;
import ${namespace}.websocket.EndpointConfig;
import ${namespace}.websocket.Session;

/** Answers a number with as many messages, one after the other. */
public class Ticks extends Endpoint {
    @Override
    public void onOpen(Session session, EndpointConfig config) {
        session.addMessageHandler(String.class, text -> tick(session, Integer.parseInt(text.trim())));
    }

    private static void tick(Session session, int times) {
        try {
            for (int tick = 0; tick < times; tick++) {
                session.getBasicRemote().sendText("tick " + tick);
            }
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }
}
