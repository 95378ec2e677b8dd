package com.example.feed;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** GET /changes?after=N&wait=MS: the changes after N, at the latest when the wait that the client asked for is over. POST /changes adds one. */
final class FeedHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
    private final Changes changes;

    FeedHandler(Changes changes) {
        this.changes = changes;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        if (request.method().equals(HttpMethod.POST)) {
            changes.add(request.content().toString(StandardCharsets.UTF_8));
            answer(context, List.of());
            return;
        }
        QueryStringDecoder query = new QueryStringDecoder(request.uri());
        long after = number(query, "after", 0);
        long wait = Math.min(number(query, "wait", 0), 30_000);
        AtomicBoolean answered = new AtomicBoolean();
        Consumer<String> listener = change -> {
            if (answered.compareAndSet(false, true)) {
                answer(context, List.of(change));
            }
        };
        List<String> found = changes.after(after, listener);
        if (!found.isEmpty()) {
            answer(context, found);
            return;
        }
        context.executor().schedule(() -> {
            changes.forget(listener);
            if (answered.compareAndSet(false, true)) {
                answer(context, List.of());
            }
        }, wait, TimeUnit.MILLISECONDS);
    }

    private static long number(QueryStringDecoder query, String name, long otherwise) {
        List<String> values = query.parameters().get(name);
        return values == null ? otherwise : Long.parseLong(values.get(0));
    }

    private static void answer(ChannelHandlerContext context, List<String> changes) {
        byte[] body = ("{\"changes\":[" + String.join(",", changes) + "]}").getBytes(StandardCharsets.UTF_8);
        DefaultFullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, Unpooled.wrappedBuffer(body));
        response.headers().set(HttpHeaderNames.CONTENT_TYPE, "application/json").setInt(HttpHeaderNames.CONTENT_LENGTH, body.length);
        context.writeAndFlush(response);
    }
}
