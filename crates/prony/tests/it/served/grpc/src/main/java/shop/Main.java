package shop;

import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.File;
import java.net.InetSocketAddress;

/** A shop that takes orders by gRPC at the host and the port in its arguments; over TLS if a certificate and its key come after them. */
public final class Main extends OrdersGrpc.OrdersImplBase {

    public static void main(String[] words) throws Exception {
        InetSocketAddress address = new InetSocketAddress(words[0], Integer.parseInt(words[1]));
        NettyServerBuilder shop = NettyServerBuilder.forAddress(address).addService(new Main());
        if (words.length > 2) {
            shop.useTransportSecurity(new File(words[2]), new File(words[3]));
        }
        shop.build().start().awaitTermination();
    }

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
