package print.jobs;

import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;

/** One connection for all, as Lettuce recommends: it is thread-safe. */
final class SharedQueue implements Queue {
    private final RedisCommands<String, String> commands;

    SharedQueue(RedisClient redis) {
        commands = redis.connect().sync();
    }

    @Override
    public String ask(String id) {
        commands.lpush("jobs", id);
        KeyValue<String, String> reply = commands.blpop(10, "reply:" + id);
        return reply == null ? null : reply.getValue();
    }
}
