package mail.status;

import java.util.List;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.JedisPoolConfig;
import redis.clients.jedis.exceptions.JedisException;

/** Threads that wait for mails in the queue and send them. Each has its connection all the time. */
final class Senders {
    private static final int SECONDS = 2;

    private final JedisPool pool;
    private final int count;
    private final Statuses statuses;

    Senders(String address, int count, Statuses statuses) {
        String[] queue = address.split(":");
        JedisPoolConfig config = new JedisPoolConfig();
        config.setMaxTotal(count);
        this.pool = new JedisPool(config, queue[0], Integer.parseInt(queue[1]), 10_000);
        this.count = count;
        this.statuses = statuses;
    }

    void start() {
        for (int i = 0; i < count; i++) {
            Thread thread = new Thread(this::send, "sender-" + i);
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void send() {
        try (Jedis queue = pool.getResource()) {
            while (true) {
                List<String> mail = queue.blpop(SECONDS, "mails");
                if (mail != null) {
                    statuses.set(new Statuses.Status(mail.get(1), "sent", 1));
                }
            }
        } catch (JedisException closed) {
            System.err.println("the queue is gone: " + closed.getMessage());
        }
    }
}
