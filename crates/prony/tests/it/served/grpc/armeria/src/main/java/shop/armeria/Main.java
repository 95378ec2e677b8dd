package shop.armeria;

import com.linecorp.armeria.server.Server;
import com.linecorp.armeria.server.ServerBuilder;
import com.linecorp.armeria.server.grpc.GrpcService;
import java.io.File;
import java.net.InetSocketAddress;
import shop.ShopService;

/** The shop at the host and the port in its arguments; over TLS if a certificate and its key come after them. */
public final class Main {

    public static void main(String[] words) {
        InetSocketAddress address = new InetSocketAddress(words[0], Integer.parseInt(words[1]));
        // Calls wait, as those of the other servers do, in threads that may.
        GrpcService shop = GrpcService.builder().addService(new ShopService()).useBlockingTaskExecutor(true).build();
        ServerBuilder server = Server.builder().service(shop);
        if (words.length > 2) {
            server.https(address).tls(new File(words[2]), new File(words[3]));
        } else {
            server.http(address);
        }
        server.build().start().join();
    }
}
