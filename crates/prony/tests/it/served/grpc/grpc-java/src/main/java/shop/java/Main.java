package shop.java;

import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.File;
import java.net.InetSocketAddress;
import shop.ShopService;

/** The shop at the host and the port in its arguments; over TLS if a certificate and its key come after them. */
public final class Main {

    public static void main(String[] words) throws Exception {
        InetSocketAddress address = new InetSocketAddress(words[0], Integer.parseInt(words[1]));
        NettyServerBuilder server = NettyServerBuilder.forAddress(address).addService(new ShopService());
        if (words.length > 2) {
            server.useTransportSecurity(new File(words[2]), new File(words[3]));
        }
        server.build().start().awaitTermination();
    }
}
