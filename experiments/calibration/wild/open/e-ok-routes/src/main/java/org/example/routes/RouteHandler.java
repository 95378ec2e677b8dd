package org.example.routes;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.channel.ChannelFutureListener;

/** Answers with the length of a route. */
final class RouteHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
    private final Planner planner;

    RouteHandler(Planner planner) {
        this.planner = planner;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        QueryStringDecoder query = new QueryStringDecoder(request.uri());
        HttpResponseStatus status = HttpResponseStatus.OK;
        String text;
        if (query.parameters().containsKey("from") && query.parameters().containsKey("to")) {
            text = planner.metres(number(query, "from"), number(query, "to")) + " m";
        } else {
            status = HttpResponseStatus.BAD_REQUEST;
            text = "from and to are missing";
        }
        ByteBuf body = ByteBufUtil.writeUtf8(context.alloc(), text);
        DefaultFullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, body);
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, "text/plain").set(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
        if (HttpUtil.isKeepAlive(request)) {
            context.writeAndFlush(response);
        } else {
            context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
        }
    }

    private static int number(QueryStringDecoder query, String name) {
        return Integer.parseInt(query.parameters().get(name).get(0));
    }
}
