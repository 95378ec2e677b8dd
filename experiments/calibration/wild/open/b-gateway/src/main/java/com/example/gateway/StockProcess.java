package com.example.gateway;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

/** The stock system runs beside the gateway, on the same host. */
final class StockProcess {
    private StockProcess() {}

    /** Returns its port. */
    static int start() throws IOException {
        Process process = new ProcessBuilder("python3", "stock.py").redirectError(ProcessBuilder.Redirect.INHERIT).start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
        String line = new BufferedReader(new InputStreamReader(process.getInputStream())).readLine();
        if (line == null) {
            throw new IOException("the stock system does not start");
        }
        return Integer.parseInt(line.trim());
    }
}
