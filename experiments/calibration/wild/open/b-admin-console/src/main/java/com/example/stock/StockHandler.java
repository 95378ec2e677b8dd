package com.example.stock;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;

/** GET /stock/ARTICLE: how many there are, by warehouse. */
final class StockHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        String article = request.uri().substring(request.uri().lastIndexOf('/') + 1);
        StringBuilder json = new StringBuilder("{\"article\":\"").append(article).append("\",\"warehouses\":[");
        for (int i = 0; i < 10; i++) {
            json.append(i == 0 ? "" : ",").append((article.hashCode() >>> i) & 255);
        }
        FullHttpResponse response = new DefaultFullHttpResponse(
                HttpVersion.HTTP_1_1, HttpResponseStatus.OK, Unpooled.copiedBuffer(json.append("]}"), StandardCharsets.US_ASCII));
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, HttpHeaderValues.APPLICATION_JSON);
        HttpUtil.setContentLength(response, response.content().readableBytes());
        boolean keep = HttpUtil.isKeepAlive(request);
        HttpUtil.setKeepAlive(response, keep);
        ChannelFuture written = context.writeAndFlush(response);
        if (!keep) {
            written.addListener(ChannelFutureListener.CLOSE);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable problem) {
        context.close();
    }
}
