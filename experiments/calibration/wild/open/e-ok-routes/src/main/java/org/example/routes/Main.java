package org.example.routes;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;

/** Finds walking routes. */
public final class Main {
    private Main() {}

    public static void main(String[] args) throws InterruptedException {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        int loops = Integer.parseInt(System.getenv().getOrDefault("ROUTES_LOOPS", "2"));
        Planner planner = new Planner();
        new ServerBootstrap()
                .group(new NioEventLoopGroup(1), new NioEventLoopGroup(loops))
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new HttpServerCodec(), new HttpObjectAggregator(65536), new RouteHandler(planner));
                    }
                })
                .bind("127.0.0.1", port)
                .sync();
    }
}
