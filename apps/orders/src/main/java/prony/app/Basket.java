package prony.app;

import java.net.URI;
import java.util.List;
import java.util.stream.IntStream;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.JedisPoolConfig;

/** The articles of a basket in a Redis, whose address is in the environment variable CACHE_ADDRESS (HOST:PORT). */
final class Basket {
    private static final int ARTICLES = 40;
    private static final int CONNECTIONS = 32;

    /** The pool, with the articles behind it, once somebody needs them. */
    private static final class Pool {
        static final JedisPool CONNECTIONS_KEPT = open();

        private static JedisPool open() {
            JedisPoolConfig settings = new JedisPoolConfig();
            settings.setMaxTotal(CONNECTIONS);
            settings.setMaxIdle(CONNECTIONS);
            JedisPool pool = new JedisPool(settings, URI.create("redis://" + System.getenv("CACHE_ADDRESS")));
            try (Jedis redis = pool.getResource()) {
                for (String key : keys()) {
                    redis.set(key, "in stock");
                }
            }
            return pool;
        }
    }

    private Basket() {}

    private static String[] keys() {
        return IntStream.rangeClosed(1, ARTICLES).mapToObj(article -> "article:" + article).toArray(String[]::new);
    }

    /** Returns the number of articles, which are read at once. */
    static int atOnce() {
        try (Jedis redis = Pool.CONNECTIONS_KEPT.getResource()) {
            List<String> found = redis.mget(keys());
            return (int) found.stream().filter("in stock"::equals).count();
        }
    }

    /** The same one after another. */
    static int oneByOne() {
        try (Jedis redis = Pool.CONNECTIONS_KEPT.getResource()) {
            int found = 0;
            for (String key : keys()) {
                found += "in stock".equals(redis.get(key)) ? 1 : 0;
            }
            return found;
        }
    }
}
