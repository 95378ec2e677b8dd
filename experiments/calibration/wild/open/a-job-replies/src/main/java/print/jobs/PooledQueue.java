package print.jobs;

import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.support.ConnectionPoolSupport;
import org.apache.commons.pool2.impl.GenericObjectPool;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

/** A connection for each job that waits for its reply. */
final class PooledQueue implements Queue {
    private final GenericObjectPool<StatefulRedisConnection<String, String>> pool;

    PooledQueue(RedisClient redis, int connections) {
        GenericObjectPoolConfig<StatefulRedisConnection<String, String>> config = new GenericObjectPoolConfig<>();
        config.setMaxTotal(connections);
        config.setMaxIdle(connections);
        pool = ConnectionPoolSupport.createGenericObjectPool(redis::connect, config, false);
    }

    @Override
    public String ask(String id) throws Exception {
        StatefulRedisConnection<String, String> connection = pool.borrowObject();
        try {
            RedisCommands<String, String> commands = connection.sync();
            commands.lpush("jobs", id);
            KeyValue<String, String> reply = commands.blpop(10, "reply:" + id);
            return reply == null ? null : reply.getValue();
        } finally {
            pool.returnObject(connection);
        }
    }
}
