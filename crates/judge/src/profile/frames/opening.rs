//! Methods in which a thread gets ready to ask another program: it looks up a name, opens a connection, or makes a client. Whatever
//! else is on the stack, it does not wait for an answer to a question of its own.

use super::{Kind, matches};

/// It looks up the address of a name, or the name of an address, or waits for another thread that does.
const LOOK_UPS: &[&str] = &[
    "java.net.InetAddress.getAllByName*",
    "java.net.InetAddress.getByName",
    "java.net.InetAddress.getAddressesFromNameService",
    "java.net.InetAddress.getHostFromNameService",
    "java.net.InetAddress.getHostName",
    "java.net.InetAddress.getCanonicalHostName",
    "java.net.InetAddress$NameServiceAddresses.get",
    "java.net.Inet4AddressImpl.lookupAllHostAddr",
    "java.net.Inet4AddressImpl.getHostByAddr",
    "java.net.Inet6AddressImpl.lookupAllHostAddr",
    "java.net.Inet6AddressImpl.getHostByAddr",
    "com.sun.jndi.dns.*",
];

/// It opens a connection, signs in on it, or makes a client, which reads certificates and starts threads.
const CONNECTS: &[&str] = &[
    "java.net.Socket.connect",
    "java.net.PlainSocketImpl.socketConnect",
    "sun.nio.ch.SocketChannelImpl.connect",
    "sun.nio.ch.NioSocketImpl.connect",
    "org.postgresql.Driver.connect",
    "com.mysql.cj.jdbc.ConnectionImpl.createNewIO",
    "org.mariadb.jdbc.Driver.connect",
    "oracle.jdbc.driver.OracleDriver.connect",
    "com.microsoft.sqlserver.jdbc.SQLServerDriver.connect",
    "redis.clients.jedis.Connection.connect",
    "redis.clients.jedis.Connection.initializeFromClientConfig",
    "redis.clients.jedis.JedisFactory.makeObject",
    "redis.clients.jedis.ConnectionFactory.makeObject",
    "com.mongodb.internal.connection.InternalStreamConnection.open",
    "jdk.internal.net.http.HttpClientBuilderImpl.build",
    "org.apache.http.impl.client.HttpClientBuilder.build",
    "org.apache.hc.client5.http.impl.classic.HttpClientBuilder.build",
    "okhttp3.OkHttpClient.<init>",
    "javax.net.ssl.SSLContext.getDefault",
    "javax.net.ssl.SSLContext.init",
];

/// It shakes hands for TLS with a server.
const HANDSHAKES: &[&str] = &[
    "sun.security.ssl.SSLSocketImpl.startHandshake",
    "jdk.internal.net.http.common.SSLFlowDelegate.executeTasks*",
    "jdk.internal.net.http.common.SSLFlowDelegate.lambda$executeTasks*",
    "javax.net.ssl.SSLContext.*",
];

/// Pools of connections that open them in threads of their own, with the beginnings of the methods of these.
const OPENERS: &[(&str, &str)] = &[
    ("HikariCP", "com.zaxxer.hikari.pool.HikariPool$PoolEntryCreator."),
    ("Agroal", "io.agroal.pool.ConnectionPool$CreateConnectionTask."),
    ("Druid", "com.alibaba.druid.pool.DruidDataSource$CreateConnectionThread."),
    ("c3p0", "com.mchange.v2.resourcepool.BasicResourcePool$"),
];

/// The pool for which a thread opens a connection that answers no request; `None` where it does something else.
pub(crate) fn opens_for_pool(frames: &[String]) -> Option<&'static str> {
    let of_pool = |method: &String| OPENERS.iter().find(|(_, begin)| method.starts_with(begin));
    let (product, _) = frames.iter().find_map(of_pool)?;
    let connects = frames.iter().any(|method| opening(method) == Some(Kind::Connect));
    connects.then_some(*product)
}

/// What the thread gets ready for; `None` where this method is none of these.
pub(crate) fn opening(method: &str) -> Option<Kind> {
    let is_one = |patterns: &[&str]| patterns.iter().any(|pattern| matches(pattern, method));
    if is_one(LOOK_UPS) {
        Some(Kind::LookUp)
    } else if is_one(CONNECTS) || is_one(HANDSHAKES) {
        Some(Kind::Connect)
    } else {
        None
    }
}

/// Whether a thread with this method on its stack shakes hands for TLS, or gets ready for it.
pub(crate) fn is_handshake(method: &str) -> bool {
    HANDSHAKES.iter().any(|pattern| matches(pattern, method))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handshake_is_a_part_of_a_connect() {
        let handshake = "sun.security.ssl.SSLSocketImpl.startHandshake";
        assert!(is_handshake(handshake) && opening(handshake) == Some(Kind::Connect));
        assert_eq!(opening("java.net.InetAddress.getAllByName0"), Some(Kind::LookUp));
        assert!(!is_handshake("java.net.Socket.connect"));
        let signs_in = "redis.clients.jedis.Connection.initializeFromClientConfig";
        assert_eq!(opening(signs_in), Some(Kind::Connect));
        assert_eq!(opening("redis.clients.jedis.Connection.executeCommand"), None);
        let adds =
            ["org.postgresql.Driver.connect", "com.zaxxer.hikari.pool.HikariPool$PoolEntryCreator.call"];
        let adds = adds.map(str::to_owned);
        assert_eq!((opens_for_pool(&adds), opens_for_pool(&adds[1..])), (Some("HikariCP"), None));
        // A server that answers over TLS decrypts with an engine.
        assert_eq!(opening("sun.security.ssl.SSLEngineImpl.unwrap"), None);
    }
}
