package shop.quarkus;

import io.grpc.stub.StreamObserver;
import io.quarkus.grpc.GrpcService;
import io.smallrye.common.annotation.Blocking;
import shop.Order;
import shop.Placed;
import shop.ShopService;

/** The shop as a service that Quarkus finds. Calls wait, and Quarkus reads only from methods of this class that they need threads that may. */
@GrpcService
public class Orders extends ShopService {

    @Override
    @Blocking
    public void place(Order order, StreamObserver<Placed> answer) {
        super.place(order, answer);
    }

    @Override
    @Blocking
    public void watch(Order order, StreamObserver<Placed> answer) {
        super.watch(order, answer);
    }
}
