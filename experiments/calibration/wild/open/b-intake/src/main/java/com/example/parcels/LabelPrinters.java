package com.example.parcels;

import java.util.concurrent.TimeUnit;

/** The printers above the belt; there is always one that is free. */
final class LabelPrinters {
    /** Two dozen characters at 9600 baud. */
    private static final long TRANSMISSION = 25;

    String print(String code) {
        try {
            TimeUnit.MILLISECONDS.sleep(TRANSMISSION);
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
        return "DE-" + code;
    }
}
