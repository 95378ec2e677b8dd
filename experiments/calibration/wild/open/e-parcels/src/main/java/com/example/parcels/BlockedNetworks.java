package com.example.parcels;

import java.net.InetAddress;

/** Asks the list of blocked networks, as one asks a DNSBL. In tests, its answer comes after 5 ms and is always no. */
final class BlockedNetworks {
    private static final long MILLIS = 5;

    boolean contain(InetAddress address) {
        try {
            Thread.sleep(MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return address.isMulticastAddress();
    }
}
