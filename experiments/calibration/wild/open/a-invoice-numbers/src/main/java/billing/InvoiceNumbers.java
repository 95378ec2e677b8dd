package billing;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;
import java.util.concurrent.locks.ReentrantLock;

/** Numbers of invoices: without gaps and each of them known to the tax register before it is used. */
@Component
public class InvoiceNumbers {
    private final ReentrantLock lock = new ReentrantLock();
    private final Register register;
    private final int block;
    private long next = 1;
    private long reserved = 1;

    public InvoiceNumbers(Register register, @Value("${billing.numbers-at-once}") int block) {
        this.register = register;
        this.block = block;
    }

    public long next() {
        lock.lock();
        try {
            if (next == reserved) {
                register.reserve(reserved, block);
                reserved += block;
            }
            return next++;
        } finally {
            lock.unlock();
        }
    }
}
