package com.example.weighing;

import com.sun.jna.LastErrorException;
import com.sun.jna.Native;
import com.sun.jna.Platform;

/** The few functions of the C library that the driver needs: the JDK has no sockets of type SOCK_SEQPACKET. */
final class Libc {
    static final int AF_UNIX = 1;
    static final int SOCK_SEQPACKET = 5;
    static final int SOCK_CLOEXEC = 0x80000;

    static {
        Native.register(Libc.class, Platform.C_LIBRARY_NAME);
    }

    private Libc() {}

    static native int socket(int domain, int type, int protocol) throws LastErrorException;

    static native int connect(int socket, byte[] address, int length) throws LastErrorException;

    static native long send(int socket, byte[] buffer, long length, int flags) throws LastErrorException;

    static native long recv(int socket, byte[] buffer, long length, int flags) throws LastErrorException;

    static native int close(int socket) throws LastErrorException;
}
