package com.example.parcels;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Scanners report parcels here, one connection for each parcel: GET /parcel?code=…, answered when the label has been printed. */
public final class Intake {
    private Intake() {}

    public static void main(String[] arguments) throws IOException {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        int workers = Integer.getInteger("intake.workers", 8);
        int waiting = Integer.getInteger("intake.waiting", 16);
        int backlog = Integer.getInteger("intake.backlog", 50);

        // No parcel may be lost: when all workers are busy, the thread that accepts does the work itself.
        ThreadPoolExecutor executor = new ThreadPoolExecutor(
                workers, workers, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(waiting), new ThreadPoolExecutor.CallerRunsPolicy());
        LabelPrinters printers = new LabelPrinters();
        try (ServerSocket server = new ServerSocket(port, backlog, InetAddress.getByName("0.0.0.0"))) {
            while (true) {
                Socket scanner = server.accept();
                executor.execute(new Parcel(scanner, printers));
            }
        }
    }
}
