package com.example.weighing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/** Talks to the daemon of the scales, one packet for the question and one for the answer. */
@Component
class ScaleDriver {
    private final byte[] address;

    ScaleDriver(@Value("${SCALES_ADDRESS:127.0.0.1:9300}") String scales) {
        String name = "weighbridge-" + scales.substring(scales.lastIndexOf(':') + 1);
        byte[] path = name.getBytes(StandardCharsets.US_ASCII);
        address = new byte[3 + path.length];
        address[0] = Libc.AF_UNIX;
        System.arraycopy(path, 0, address, 3, path.length);
    }

    /** The weight in kilograms once the scale has come to rest. */
    int weigh(int scale) throws IOException {
        int socket = Libc.socket(Libc.AF_UNIX, Libc.SOCK_SEQPACKET | Libc.SOCK_CLOEXEC, 0);
        try {
            Libc.connect(socket, address, address.length);
            byte[] question = ("W" + scale).getBytes(StandardCharsets.US_ASCII);
            Libc.send(socket, question, question.length, 0);
            byte[] answer = new byte[32];
            int length = (int) Libc.recv(socket, answer, answer.length, 0);
            if (length <= 0) {
                throw new IOException("scale " + scale + " does not answer");
            }
            return Integer.parseInt(new String(answer, 0, length, StandardCharsets.US_ASCII).trim());
        } finally {
            Libc.close(socket);
        }
    }
}
