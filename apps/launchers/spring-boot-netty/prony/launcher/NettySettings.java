package prony.launcher;

import ${boot.netty}.NettyServerCustomizer;
import io.netty.channel.ChannelOption;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** A property for a setting that Boot has none for. */
@Configuration(proxyBeanMethods = false)
class NettySettings {
    @Bean
    NettyServerCustomizer netty(Environment settings) {
        Integer acceptQueue = settings.getProperty("prony.netty.accept-queue", Integer.class);
        return server -> acceptQueue == null ? server : server.option(ChannelOption.SO_BACKLOG, acceptQueue);
    }
}
