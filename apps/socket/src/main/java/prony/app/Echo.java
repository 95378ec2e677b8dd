package prony.app;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import ${namespace}.websocket.Endpoint;
import ${namespace}.websocket.EndpointConfig;
import ${namespace}.websocket.Session;

/** Sends each message back, a text as a text and bytes as bytes. */
public class Echo extends Endpoint {
    @Override
    public void onOpen(Session session, EndpointConfig config) {
        session.addMessageHandler(String.class, text -> sendBack(session, text));
        session.addMessageHandler(ByteBuffer.class, bytes -> sendBack(session, bytes));
    }

    private static void sendBack(Session session, String text) {
        try {
            session.getBasicRemote().sendText(text);
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }

    private static void sendBack(Session session, ByteBuffer bytes) {
        try {
            session.getBasicRemote().sendBinary(bytes);
        } catch (IOException problem) {
            throw new UncheckedIOException(problem);
        }
    }
}
