//! Whose code a method is, by the beginning of its name: what is neither of the JDK nor of a known library or server is the
//! application's. The packages of many servers are in the catalog.

use ask::catalog;

/// Who has written a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Jdk,
    /// A library or a server.
    Library,
    Application,
}

/// Tells who has written this method.
pub(crate) fn owner(method: &str) -> Owner {
    let begins = |all: &[&str]| all.iter().any(|begin| method.starts_with(begin));
    let servers = catalog::servers().iter().flat_map(|file| &file.frames.packages);
    let is_servers = servers.into_iter().any(|begin| method.starts_with(begin.as_str()));
    if is_servers || begins(LIBRARIES) || GENERATED.iter().any(|part| method.contains(part)) {
        Owner::Library
    } else if begins(JDK) {
        Owner::Jdk
    } else {
        Owner::Application
    }
}

/// Whether a thread with this method on its stack answers our own questions about the JVM.
pub(crate) fn is_inspection(method: &str) -> bool {
    INSPECTION.iter().any(|begin| method.starts_with(begin))
}

const INSPECTION: &[&str] =
    &["sun.rmi.transport.", "com.sun.jmx.", "javax.management.remote.", "jdk.jfr.internal."];

const JDK: &[&str] = &["java.", "javax.", "jdk.", "sun.", "com.sun."];

/// Parts of the names of classes that frameworks generate.
const GENERATED: &[&str] = &[
    "$$Lambda",
    "$$SpringCGLIB$$",
    "$$EnhancerBy",
    "$$FastClass",
    "$Proxy",
    "_$$_",
    "_Subclass.",
    "_ClientProxy.",
];

/// Libraries, frameworks, languages, and servers whose packages are in no file of the catalog. `javax.servlet` is the
/// interface of servers, and not of the JDK.
const LIBRARIES: &[&str] = &[
    "javax.servlet.",
    "javax.ws.",
    "jakarta.",
    "akka.",
    "brave.",
    "ch.qos.logback.",
    "clojure.",
    "co.elastic.",
    "com.alibaba.",
    "com.codahale.",
    "com.couchbase.",
    "com.datastax.",
    "com.fasterxml.",
    "com.github.benmanes.",
    "com.github.rholder.",
    "com.google.api.",
    "com.google.common.",
    "com.google.gson.",
    "com.google.inject.",
    "com.google.protobuf.",
    "com.hazelcast.",
    "com.ibm.",
    "com.linecorp.",
    "com.lmax.",
    "com.mchange.",
    "com.microsoft.sqlserver.",
    "com.mongodb.",
    "com.mysql.",
    "com.netflix.",
    "com.oracle.",
    "com.ongres.",
    "com.rabbitmq.",
    "com.sun.jersey.",
    "com.sun.mail.",
    "com.sun.xml.",
    "com.squareup.",
    "com.zaxxer.",
    "datadog.",
    "dev.failsafe.",
    "dev.resteasy.",
    "feign.",
    "fi.iki.elonen.",
    "freemarker.",
    "groovy.",
    "io.agroal.",
    "io.confluent.",
    "io.dropwizard.",
    "io.github.bucket4j.",
    "io.github.resilience4j.",
    "io.grpc.",
    "io.jooby.",
    "io.javalin.",
    "io.lettuce.",
    "io.micrometer.",
    "io.netty.",
    "io.opentelemetry.",
    "io.projectreactor.",
    "io.r2dbc.",
    "io.reactivex.",
    "io.smallrye.",
    "io.vavr.",
    "kotlin.",
    "kotlinx.",
    "io.ktor.",
    "liquibase.",
    "net.bytebuddy.",
    "net.jodah.failsafe.",
    "net.rubyeye.",
    "net.sf.",
    "net.spy.",
    "ognl.",
    "okhttp3.",
    "okio.",
    "oracle.",
    "org.agrona.",
    "org.apache.",
    "org.asynchttpclient.",
    "org.attoparser.",
    "org.codehaus.",
    "org.eclipse.",
    "org.ehcache.",
    "org.elasticsearch.",
    "org.flywaydb.",
    "org.glassfish.",
    "org.h2.",
    "org.hibernate.",
    "org.hsqldb.",
    "org.http4k.",
    "org.infinispan.",
    "org.jboss.",
    "org.jctools.",
    "org.jdbi.",
    "org.joda.",
    "org.jooq.",
    "org.mariadb.",
    "org.mongodb.",
    "org.mybatis.",
    "org.neo4j.",
    "org.objectweb.",
    "org.ognl.",
    "org.postgresql.",
    "org.quartz.",
    "org.reactivestreams.",
    "org.redisson.",
    "org.rocksdb.",
    "org.slf4j.",
    "org.springframework.",
    "org.sqlite.",
    "org.thymeleaf.",
    "org.tinylog.",
    "org.unbescape.",
    "org.vibur.",
    "org.wildfly.",
    "org.xerial.",
    "org.yaml.",
    "play.",
    "ratpack.",
    "reactor.",
    "redis.clients.",
    "retrofit2.",
    "rx.",
    "scala.",
    "software.amazon.awssdk.",
    "spark.",
    "zipkin2.",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_the_applications() {
        assert_eq!(owner("shop.Checkout.doGet"), Owner::Application);
        assert_eq!(owner("com.example.shop.Basket.add"), Owner::Application);
        assert_eq!(owner("io.undertow.server.Connectors.executeRootHandler"), Owner::Library);
        assert_eq!(owner("java.util.concurrent.Semaphore.acquire"), Owner::Jdk);
        assert_eq!(owner("javax.servlet.http.HttpServlet.service"), Owner::Library);
        assert_eq!(
            owner("shop.Checkout$$SpringCGLIB$$0.place"),
            Owner::Library,
            "it only calls the class that it extends"
        );
        assert_eq!(owner("jdk.proxy2.$Proxy61.find"), Owner::Library);
        assert_eq!(owner("shop.Main$$Lambda.handle"), Owner::Library);
    }

    #[test]
    fn the_list_is_sorted_well_enough_to_have_nothing_twice() {
        let mut all = LIBRARIES.to_vec();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), LIBRARIES.len());
    }
}
