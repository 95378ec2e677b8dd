package at.donauversicherung.policies;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.nio.charset.StandardCharsets;

class PolicyHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
    private static final String PREFIX = "/policies/";

    private final Documents documents;

    PolicyHandler(Documents documents) {
        this.documents = documents;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        HttpResponseStatus status = HttpResponseStatus.NOT_FOUND;
        String body = "";
        if (request.uri().startsWith(PREFIX)) {
            status = HttpResponseStatus.OK;
            body = documents.of(request.uri().substring(PREFIX.length())).summary();
        }
        FullHttpResponse response = new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, status, Unpooled.copiedBuffer(body, StandardCharsets.UTF_8));
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, "text/html; charset=utf-8");
        response.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, response.content().readableBytes());
        boolean keep = HttpUtil.isKeepAlive(request);
        HttpUtil.setKeepAlive(response, keep);
        var written = context.writeAndFlush(response);
        if (!keep) {
            written.addListener(ChannelFutureListener.CLOSE);
        }
    }
}
