package shop;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;

/** A shop that takes orders, whatever server it is behind. */
public class ShopService extends OrdersGrpc.OrdersImplBase {

    @Override
    public void place(Order order, StreamObserver<Placed> answer) {
        if (order.getItem().isEmpty()) {
            answer.onError(Status.INVALID_ARGUMENT.withDescription("an order has an item").asRuntimeException());
            return;
        }
        pause(order);
        answer.onNext(numbered(order.getItem().length()));
        answer.onCompleted();
    }

    @Override
    public void watch(Order order, StreamObserver<Placed> answer) {
        for (int number = 1; number <= order.getCount(); number++) {
            answer.onNext(numbered(number));
        }
        answer.onCompleted();
    }

    private static void pause(Order order) {
        try {
            Thread.sleep(1000 * order.getPatience().getSeconds());
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private static Placed numbered(long number) {
        return Placed.newBuilder().setNumber(number).build();
    }
}
