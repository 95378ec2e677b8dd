package com.example.feed;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;

/** The feed of changes for the clients of the shared calendar. */
public final class FeedServer {
    private FeedServer() {}

    public static void main(String[] args) throws InterruptedException {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        NioEventLoopGroup acceptor = new NioEventLoopGroup(1);
        NioEventLoopGroup loops = new NioEventLoopGroup(Integer.getInteger("feed.loops", 1));
        Changes changes = new Changes();
        new ServerBootstrap()
                .group(acceptor, loops)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, 1024)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline().addLast(new HttpServerCodec(), new HttpObjectAggregator(64 * 1024), new FeedHandler(changes));
                    }
                })
                .bind("127.0.0.1", port)
                .sync();
    }
}
