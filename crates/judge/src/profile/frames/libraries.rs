//! What methods of libraries tell. The innermost method of a library with a rule that fits decides, before any rule of the JDK; a
//! pool that is built on another one, as DBCP is on Commons Pool, gives it its name.

use super::{Kind, Rule};
use model::finding::Lent::{Calls, Connections, Objects};

const HTTP_CLIENT: &str = "Apache HttpClient";
const LOG4J: &str = "Log4j";
const RESILIENCE: &str = "Resilience4j";

/// The rules.
pub(super) const RULES: &[Rule] = &[
    // Pools of connections to databases.
    Rule::pool(
        "HikariCP",
        Connections,
        "maximumPoolSize",
        "com.zaxxer.hikari.pool.HikariPool.getConnection",
    ),
    Rule::pool(
        "HikariCP",
        Connections,
        "maximumPoolSize",
        "com.zaxxer.hikari.util.ConcurrentBag.borrow",
    ),
    Rule::pool(
        "DBCP",
        Connections,
        "maxTotal",
        "org.apache.commons.dbcp2.PoolingDataSource.getConnection",
    ),
    Rule::pool(
        "DBCP",
        Connections,
        "maxTotal",
        "org.apache.commons.dbcp2.BasicDataSource.getConnection",
    ),
    Rule::pool(
        "DBCP",
        Connections,
        "maxActive",
        "org.apache.commons.dbcp.PoolingDataSource.getConnection",
    ),
    Rule::pool(
        "DBCP",
        Connections,
        "maxTotal",
        "org.apache.tomcat.dbcp.dbcp2.PoolingDataSource.getConnection",
    ),
    Rule::pool(
        "Tomcat JDBC",
        Connections,
        "maxActive",
        "org.apache.tomcat.jdbc.pool.ConnectionPool.borrowConnection",
    ),
    Rule::pool(
        "Tomcat JDBC",
        Connections,
        "maxActive",
        "org.apache.tomcat.jdbc.pool.ConnectionPool.getConnection",
    ),
    Rule::pool(
        "c3p0",
        Connections,
        "maxPoolSize",
        "com.mchange.v2.resourcepool.BasicResourcePool.*",
    ),
    Rule::pool(
        "c3p0",
        Connections,
        "maxPoolSize",
        "com.mchange.v2.c3p0.impl.C3P0PooledConnectionPool.checkout*",
    ),
    Rule::plain(
        Kind::Idle,
        "com.mchange.v2.async.ThreadPoolAsynchronousRunner$PoolThread.run",
    ),
    Rule::pool(
        "Agroal",
        Connections,
        "maxSize",
        "io.agroal.pool.ConnectionPool.*",
    ),
    Rule::pool(
        "Druid",
        Connections,
        "maxActive",
        "com.alibaba.druid.pool.DruidDataSource.getConnection*",
    ),
    Rule::pool(
        "Druid",
        Connections,
        "maxActive",
        "com.alibaba.druid.pool.DruidDataSource.poll*",
    ),
    Rule::pool(
        "Druid",
        Connections,
        "maxActive",
        "com.alibaba.druid.pool.DruidDataSource.take*",
    ),
    Rule::plain(
        Kind::Idle,
        "com.alibaba.druid.pool.DruidDataSource$CreateConnectionThread.run",
    ),
    Rule::plain(
        Kind::Idle,
        "com.alibaba.druid.pool.DruidDataSource$DestroyConnectionThread.run",
    ),
    Rule::pool(
        "H2",
        Connections,
        "maxConnections",
        "org.h2.jdbcx.JdbcConnectionPool.getConnection*",
    ),
    Rule::pool("UCP", Connections, "maxPoolSize", "oracle.ucp.*"),
    Rule::pool("Vibur", Connections, "poolMaxSize", "org.vibur.*"),
    // Pools of anything.
    Rule::pool(
        "Commons Pool",
        Objects,
        "maxTotal",
        "org.apache.commons.pool2.impl.GenericObjectPool.borrowObject",
    ),
    Rule::pool(
        "Commons Pool",
        Objects,
        "maxTotalPerKey",
        "org.apache.commons.pool2.impl.GenericKeyedObjectPool.borrowObject",
    ),
    Rule::pool(
        "Commons Pool",
        Objects,
        "maxActive",
        "org.apache.commons.pool.impl.GenericObjectPool.borrowObject",
    ),
    Rule::pool(
        "Commons Pool",
        Objects,
        "maxTotal",
        "org.apache.tomcat.dbcp.pool2.impl.GenericObjectPool.borrowObject",
    ),
    // Redis, Memcached and other stores.
    Rule::pool(
        "Jedis",
        Connections,
        "maxTotal",
        "redis.clients.jedis.util.Pool.getResource",
    ),
    Rule::pool(
        "Jedis",
        Connections,
        "maxTotal",
        "redis.clients.jedis.JedisPool.getResource",
    ),
    Rule::pool(
        "Jedis",
        Connections,
        "maxTotal",
        "redis.clients.jedis.ConnectionPool.getResource",
    ),
    Rule::pool(
        "Jedis",
        Connections,
        "maxTotal",
        "redis.clients.jedis.providers.PooledConnectionProvider.getConnection",
    ),
    Rule::named(Kind::Driver, "Jedis", "redis.clients.jedis.*"),
    Rule::named(Kind::Driver, "Lettuce", "io.lettuce.core.*"),
    Rule::named(Kind::Driver, "Redisson", "org.redisson.*"),
    Rule::named(Kind::Driver, "spymemcached", "net.spy.memcached.*"),
    Rule::named(Kind::Driver, "XMemcached", "net.rubyeye.xmemcached.*"),
    Rule::pool(
        "MongoDB",
        Connections,
        "maxSize",
        "com.mongodb.internal.connection.ConcurrentPool.get",
    ),
    Rule::pool(
        "MongoDB",
        Connections,
        "maxSize",
        "com.mongodb.internal.connection.DefaultConnectionPool.get",
    ),
    Rule::named(Kind::Driver, "MongoDB", "com.mongodb.*"),
    Rule::named(Kind::Driver, "Cassandra", "com.datastax.*"),
    Rule::named(Kind::Driver, "Couchbase", "com.couchbase.*"),
    Rule::named(Kind::Driver, "Elasticsearch", "org.elasticsearch.client.*"),
    Rule::named(Kind::Driver, "Hazelcast", "com.hazelcast.client.*"),
    // Drivers of databases.
    Rule::named(Kind::Driver, "PostgreSQL", "org.postgresql.*"),
    Rule::named(Kind::Driver, "MySQL", "com.mysql.*"),
    Rule::named(Kind::Driver, "MariaDB", "org.mariadb.jdbc.*"),
    Rule::named(Kind::Driver, "Oracle", "oracle.jdbc.*"),
    Rule::named(Kind::Driver, "Oracle", "oracle.net.*"),
    Rule::named(Kind::Driver, "SQL Server", "com.microsoft.sqlserver.jdbc.*"),
    Rule::named(Kind::Driver, "H2", "org.h2.jdbc.*"),
    Rule::named(Kind::Driver, "H2", "org.h2.engine.SessionRemote.*"),
    Rule::named(Kind::Lock, "H2", "org.h2.mvstore.*"),
    Rule::named(Kind::Lock, "H2", "org.h2.table.*"),
    Rule::named(Kind::Driver, "HSQLDB", "org.hsqldb.jdbc.*"),
    Rule::named(Kind::Driver, "SQLite", "org.sqlite.*"),
    // Clients of HTTP and the like.
    Rule::pool(
        HTTP_CLIENT,
        Connections,
        "maxConnPerRoute",
        "org.apache.hc.client5.http.impl.classic.InternalExecRuntime.acquireEndpoint",
    ),
    Rule::pool(
        HTTP_CLIENT,
        Connections,
        "maxConnPerRoute",
        "org.apache.hc.core5.pool.StrictConnPool*",
    ),
    Rule::pool(
        HTTP_CLIENT,
        Connections,
        "maxConnPerRoute",
        "org.apache.hc.core5.pool.LaxConnPool*",
    ),
    Rule::pool(
        HTTP_CLIENT,
        Connections,
        "maxConnPerRoute",
        "org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager$*",
    ),
    Rule::named(Kind::Driver, HTTP_CLIENT, "org.apache.hc.*"),
    Rule::pool(
        HTTP_CLIENT,
        Connections,
        "maxConnPerRoute",
        "org.apache.http.pool.AbstractConnPool*",
    ),
    Rule::pool(
        HTTP_CLIENT,
        Connections,
        "maxConnPerRoute",
        "org.apache.http.impl.conn.PoolingHttpClientConnectionManager.leaseConnection",
    ),
    Rule::named(Kind::Driver, HTTP_CLIENT, "org.apache.http.*"),
    Rule::pool(
        "Commons HttpClient",
        Connections,
        "maxHostConnections",
        "org.apache.commons.httpclient.MultiThreadedHttpConnectionManager.*",
    ),
    Rule::named(
        Kind::Driver,
        "Commons HttpClient",
        "org.apache.commons.httpclient.*",
    ),
    Rule::named(Kind::Driver, "OkHttp", "okhttp3.*"),
    Rule::plain(Kind::Idle, "okhttp3.internal.concurrent.TaskRunner*"),
    Rule::plain(Kind::Idle, "okio.AsyncTimeout*"),
    Rule::named(Kind::Driver, "Jetty's HTTP client", "org.eclipse.jetty.client.*"),
    Rule::named(Kind::Driver, "gRPC", "io.grpc.stub.ClientCalls*"),
    Rule::named(Kind::Driver, "RabbitMQ", "com.rabbitmq.client.*"),
    Rule::named(Kind::Driver, "Kafka", "org.apache.kafka.clients.*"),
    Rule::named(Kind::Driver, "ActiveMQ", "org.apache.activemq.*"),
    Rule::named(Kind::Driver, "JavaMail", "com.sun.mail.*"),
    // Permits.
    Rule::pool(
        RESILIENCE,
        Calls,
        "maxConcurrentCalls",
        "io.github.resilience4j.bulkhead.*",
    ),
    Rule::pool(
        "Failsafe",
        Calls,
        "maxConcurrency",
        "dev.failsafe.internal.BulkheadImpl*",
    ),
    Rule::pool(
        "Spring",
        Calls,
        "concurrencyLimit",
        "org.springframework.util.ConcurrencyThrottleSupport.*",
    ),
    Rule::pool(
        "Spring",
        Calls,
        "concurrencyLimit",
        "org.springframework.aop.interceptor.ConcurrencyThrottleInterceptor.*",
    ),
    // Limiters of rates.
    Rule::limiter(
        "Guava",
        "setRate",
        "com.google.common.util.concurrent.RateLimiter*",
    ),
    Rule::limiter(
        "Guava",
        "setRate",
        "com.google.common.util.concurrent.SmoothRateLimiter*",
    ),
    Rule::limiter(
        RESILIENCE,
        "limitForPeriod",
        "io.github.resilience4j.ratelimiter.*",
    ),
    Rule::limiter("Bucket4j", "capacity", "io.github.bucket4j.*"),
    Rule::limiter("Failsafe", "maxRate", "dev.failsafe.internal.RateLimiter*"),
    Rule::limiter("Failsafe", "maxRate", "dev.failsafe.RateLimiter*"),
    Rule::limiter("", "", "*RateLimiter*"),
    Rule::limiter("", "", "*TokenBucket*"),
    Rule::limiter("", "", "*LeakyBucket*"),
    // Logs.
    Rule::named(Kind::Log, LOG4J, "org.apache.logging.log4j.core.*"),
    Rule::named(Kind::Log, LOG4J, "org.apache.log4j.*"),
    Rule::named(Kind::Log, LOG4J, "com.lmax.disruptor.*"),
    Rule::plain(Kind::Idle, "com.lmax.disruptor.ProcessingSequenceBarrier.waitFor"),
    Rule::plain(Kind::Idle, "*WaitStrategy.waitFor"),
    Rule::named(Kind::Log, "Logback", "ch.qos.logback.core.*"),
    Rule::named(Kind::Log, "Logback", "ch.qos.logback.classic.*"),
    Rule::plain(Kind::Idle, "ch.qos.logback.core.AsyncAppenderBase$Worker.run"),
    Rule::named(Kind::Log, "java.util.logging", "java.util.logging.*"),
    Rule::named(Kind::Log, "System.out", "java.io.PrintStream.*"),
    // Results of other threads.
    Rule::plain(Kind::Result, "com.google.common.util.concurrent.AbstractFuture*"),
    Rule::plain(Kind::Result, "com.google.common.cache.LocalCache*"),
    Rule::plain(Kind::Result, "io.netty.util.concurrent.DefaultPromise.*"),
    Rule::plain(Kind::Result, "reactor.core.publisher.Blocking*"),
    Rule::plain(Kind::Result, "io.reactivex.rxjava3.internal.observers.Blocking*"),
    Rule::plain(Kind::Result, "io.smallrye.mutiny.*"),
    Rule::plain(Kind::Result, "kotlinx.coroutines.BlockingCoroutine.*"),
    Rule::plain(Kind::Result, "scala.concurrent.impl.Promise*"),
    // Threads that wait for work.
    Rule::plain(
        Kind::Idle,
        "kotlinx.coroutines.scheduling.CoroutineScheduler$Worker.*",
    ),
    Rule::plain(Kind::Idle, "org.quartz.*"),
    Rule::plain(
        Kind::Idle,
        "com.mysql.cj.jdbc.AbandonedConnectionCleanupThread.run",
    ),
];
