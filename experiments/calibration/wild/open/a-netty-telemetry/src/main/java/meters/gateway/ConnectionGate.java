package meters.gateway;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** Accepts no more connections while there are enough, so that the gateway cannot be overrun. */
final class ConnectionGate extends ChannelInboundHandlerAdapter {
    private final int most;
    private int open;

    ConnectionGate(int most) {
        this.most = most;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        Channel connection = (Channel) message;
        open++;
        if (open >= most) {
            context.channel().config().setAutoRead(false);
        }
        connection.closeFuture().addListener(closed -> context.executor().execute(() -> {
            open--;
            if (open < most) {
                context.channel().config().setAutoRead(true);
            }
        }));
        context.fireChannelRead(message);
    }
}
