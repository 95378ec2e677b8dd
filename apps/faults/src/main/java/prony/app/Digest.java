package prony.app;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Uses only CPU: hashes 256 kB, which takes about a millisecond. */
final class Digest {
    private static final byte[] PAGE = new byte[64 << 10];
    private static final int PAGES = 4;

    private Digest() {}

    static boolean compute() {
        try {
            MessageDigest hash = MessageDigest.getInstance("SHA-256");
            for (int page = 0; page < PAGES; page++) {
                hash.update(PAGE);
            }
            return hash.digest().length == 32;
        } catch (NoSuchAlgorithmException everyJavaHasIt) {
            throw new IllegalStateException(everyJavaHasIt);
        }
    }
}
