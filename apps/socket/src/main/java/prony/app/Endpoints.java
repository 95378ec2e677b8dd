package prony.app;

import ${namespace}.servlet.ServletContext;
import ${namespace}.websocket.DeploymentException;
import ${namespace}.websocket.server.ServerContainer;
import ${namespace}.websocket.server.ServerEndpointConfig;

/** The endpoints of this application: two of WebSocket, and fixed answers of HTTP. */
public final class Endpoints {
    private Endpoints() {}

    public static void register(ServletContext context) {
        context.addServlet("answers", new Answers()).addMapping("/*");
        ServerContainer sockets = (ServerContainer) context.getAttribute(ServerContainer.class.getName());
        try {
            sockets.addEndpoint(ServerEndpointConfig.Builder.create(Echo.class, "/echo").build());
            sockets.addEndpoint(ServerEndpointConfig.Builder.create(Ticks.class, "/ticks").build());
        } catch (DeploymentException problem) {
            throw new IllegalStateException(problem);
        }
    }
}
