package com.example.gateway;

import java.io.IOException;

/** Starts the gateway: `Main jetty|undertow PORT`. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) throws IOException {
        int port = Integer.parseInt(arguments[1]);
        StockClient stock = new StockClient(StockProcess.start());
        if (arguments[0].equals("undertow")) {
            UndertowGateway.start(port, stock);
        } else {
            JettyGateway.start(port, stock);
        }
    }
}
