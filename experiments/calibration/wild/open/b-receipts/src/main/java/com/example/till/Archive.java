package com.example.till;

import java.io.IOException;

/** Where receipts are kept. */
interface Archive {
    /** Returns when the receipt is safe. */
    void store(byte[] receipt) throws IOException;
}
