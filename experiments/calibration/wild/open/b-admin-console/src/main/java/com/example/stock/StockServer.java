package com.example.stock;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import java.io.IOException;

/** The stock service. */
public final class StockServer {
    private StockServer() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
        if (Boolean.getBoolean("stock.console")) {
            AdminConsole.open();
        }
        NioEventLoopGroup acceptors = new NioEventLoopGroup(1);
        NioEventLoopGroup workers = new NioEventLoopGroup();
        new ServerBootstrap()
                .group(acceptors, workers)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, 1024)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline().addLast(new HttpServerCodec(), new HttpObjectAggregator(64 * 1024), new StockHandler());
                    }
                })
                .bind(port)
                .sync()
                .channel()
                .closeFuture()
                .sync();
    }
}
