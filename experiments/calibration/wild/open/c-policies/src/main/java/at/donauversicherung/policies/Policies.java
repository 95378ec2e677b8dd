package at.donauversicherung.policies;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;

/** Shows customers the summary of their policy. */
public class Policies {
    public static void main(String[] args) throws InterruptedException {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        Documents documents = new Documents(System.getProperty("documents.cache", "soft"));
        NioEventLoopGroup acceptors = new NioEventLoopGroup(1);
        NioEventLoopGroup workers = new NioEventLoopGroup();
        new ServerBootstrap()
            .group(acceptors, workers)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, 512)
            .childHandler(new ChannelInitializer<SocketChannel>() {
                @Override
                protected void initChannel(SocketChannel channel) {
                    channel.pipeline().addLast(new HttpServerCodec(), new HttpObjectAggregator(65536), new PolicyHandler(documents));
                }
            })
            .bind("127.0.0.1", port).sync()
            .channel().closeFuture().sync();
    }
}
