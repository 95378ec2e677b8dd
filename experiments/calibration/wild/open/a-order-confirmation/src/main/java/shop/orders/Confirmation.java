package shop.orders;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Service;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Confirms an order: reads what it costs, charges the customer and books the payment. */
@Service
public class Confirmation {
    private final Orders orders;
    private final Payments payments;
    private final TransactionTemplate transaction;
    private final boolean oneTransaction;

    public Confirmation(Orders orders, Payments payments, PlatformTransactionManager transactions,
            @Value("${orders.one-transaction}") boolean oneTransaction) {
        this.orders = orders;
        this.payments = payments;
        this.transaction = new TransactionTemplate(transactions);
        this.oneTransaction = oneTransaction;
    }

    public void confirm(int order) {
        if (oneTransaction) {
            transaction.executeWithoutResult(status -> charge(order));
        } else {
            charge(order);
        }
    }

    private void charge(int order) {
        long cents = orders.total(order);
        String receipt = payments.charge(order, cents);
        orders.paid(order, receipt);
    }
}
