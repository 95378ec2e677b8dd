//! Reads the settings that are in effect from a running server, whatever its arm asked for.
//!
//! The log tells the server and its connector. MBeans tell the limits; a small Java program reads them over the JDK's
//! attach interface. That starts a JVM and a management agent, so do it after the load. The kernel knows the length of
//! the accept queue better, and `probe` asks it.

use crate::error::{Error, UnreadableReason};
use crate::programs::tomcat;
use crate::server::java_program::{MBEANS, OLDEST_JAVA};
use crate::server::running::Server;
use crate::tools::jdk::{self, Jdk};
use crate::tools::site::Site;
use crate::tools::tool;
use ask::arm::keys;
use model::units::Bytes;
use record::outcome::{Effective, JvmChoices, JvmThreads};
use std::ffi::OsString;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The time that the program has; it needs about a second on a quiet machine.
const LIMIT: Duration = Duration::from_secs(60);
/// A key that is read back and has a field of its own, because the kernel knows its value, too.
const ACCEPT_COUNT: &str = "accept_count";

/// The settings in effect. A value that the server does not show is `None`.
pub fn effective(server: &Server, site: &Site, stop: &AtomicBool) -> Result<Effective, Error> {
    let logged = server.spec().program.system().effective(&server.log());
    // Asking a JVM that we did not start would change it.
    let jvm = server.jvm().filter(|_| server.is_ours());
    let answers = match jvm {
        // A JVM may refuse: Helidon lets nobody read objects over its management agent. What the log tells counts all the same.
        Some(_) => match ask(server, site, stop) {
            Err(Error::Unreadable { .. }) => None,
            asked => asked?,
        },
        None => None,
    };
    let answers = answers.unwrap_or_default();
    let answered = parse(&answers);
    let mut effective = Effective {
        server: logged.server,
        protocol_handler: logged.protocol_handler.or(answered.protocol_handler),
        tls: server.encryption().map(|encryption| describe_tls(encryption, logged.tls)),
        virtual_threads: logged.virtual_threads.or(answered.virtual_threads),
        max_connections: logged.max_connections.or(answered.max_connections),
        ..answered
    };
    if effective.virtual_threads.is_some() {
        effective.max_threads = None; // The server still reports it, but it has no effect.
    }
    if server.spec().jvm.processors.is_some() {
        effective.processors = None; // It sees what it was told.
    }
    if server.spec().program.is_java() {
        effective.jdk.get_or_insert_with(|| server.spec().jdk.version.clone());
    }
    Ok(effective)
}

/// `TLSv1.3 TLS_AES_256_GCM_SHA384; OpenSSL 3.0.19`: TLS version and cipher suite, and the C libraries where they are
/// used.
fn describe_tls(encryption: &str, libraries: Option<String>) -> String {
    match libraries {
        Some(libraries) => format!("{encryption}; {libraries}"),
        None => encryption.to_owned(),
    }
}

/// What the program prints about the server's JVM; `None` if there is no Java that could run the program.
fn ask(server: &Server, site: &Site, stop: &AtomicBool) -> Result<Option<String>, Error> {
    let Some(jdk) = attaching_jdk(&server.spec().jdk) else {
        return Ok(None);
    };
    let work = server.work();
    let arguments = MBEANS.arguments(&jdk, work.path(), site, stop)?;
    let mut command = attach_command(&jdk, &arguments, server, site);
    command.args(questions(server.addr().port()));
    let _entered = server.enter()?; // A JVM answers only in its own network namespace.
    let finished = tool::run(command, work, stop, Some(LIMIT))?;
    if !finished.status.success() {
        let mut lines = finished.output.lines();
        let line = lines.find(|line| line.contains("Exception"));
        return Err(Error::Unreadable {
            server: server.spec().server.clone(),
            problem: UnreadableReason::Output(
                line.map_or_else(|| finished.status.to_string(), str::to_owned),
            ),
        });
    }
    Ok(Some(finished.output))
}

/// The arguments of the program that ask for the keys which are read back: name, objects and attribute of each.
fn questions(port: u16) -> impl Iterator<Item = String> {
    let shown = keys::all().flat_map(|key| key.read_back.iter().map(|shown| (key.name, shown)));
    shown.flat_map(move |(name, shown)| {
        let objects = shown.objects.replace("{port}", &port.to_string());
        [name.to_owned(), objects, shown.attribute.to_owned()]
    })
}

/// The command that runs a Java program, which these arguments of `java` name, and which attaches to the JVM of a server. It has one
/// compiler and a small heap, to disturb the server as little as possible; a dump of thousands of threads fits into it.
pub(crate) fn attach_command(jdk: &Jdk, program: &[OsString], server: &Server, site: &Site) -> Command {
    let mut command = site.guard.command(jdk.java());
    command
        .args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx512m"])
        .args(program)
        .arg(server.jvm().unwrap_or(server.pid()).to_string())
        .arg(server.addr().port().to_string())
        .env_remove("JAVA_TOOL_OPTIONS")
        .env_remove("JDK_JAVA_OPTIONS");
    command
}

/// A JDK that can attach: the server's own where it can, else the newest that can.
pub(crate) fn attaching_jdk(own: &Jdk) -> Option<Jdk> {
    let able = |jdk: &Jdk| jdk.major >= OLDEST_JAVA && jdk.is_full();
    if able(own) {
        return Some(own.clone());
    }
    jdk::jdks().into_iter().rfind(able)
}

/// What the JVM has chosen itself; `None` where its heap and its collector were set.
fn chosen<'a>(value: &impl Fn(&str) -> Option<&'a str>) -> Option<JvmChoices> {
    let is_true = |name| value(name).is_some_and(|text| text.trim() == "true");
    let number = |name| value(name)?.trim().parse().ok();
    let (heap, collector) = (is_true("ownHeap"), is_true("ownCollector"));
    (heap || collector).then_some(())?;
    Some(JvmChoices {
        heap,
        collector,
        memory: number("memorySeen").map(Bytes)?,
        processors: number("processorsSeen")?,
    })
}

/// The threads with which the JVM collects and compiles; `None` where it does not tell. A collector with one thread tells 0.
fn jvm_threads<'a>(value: &impl Fn(&str) -> Option<&'a str>) -> Option<JvmThreads> {
    let number = |name| value(name)?.trim().parse::<u64>().ok();
    Some(JvmThreads {
        processors: number("processorsSeen")?,
        collecting: number("ParallelGCThreads")?.max(1),
        compiling: number("CICompilerCount")?,
    })
}

/// Parses the output of the program. A value of -1, or one that is no number, is unknown.
fn parse(output: &str) -> Effective {
    let value = |name: &str| output.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
    let number = |name| value(name).and_then(|text| text.trim().parse().ok());
    let limit = |name| value(name).and_then(|text| text.trim().parse().ok());
    let read_back = keys::all().filter(|key| !key.read_back.is_empty() && key.name != ACCEPT_COUNT);
    let further = read_back.filter_map(|key| Some((key.name.to_owned(), value(key.name)?.into())));
    Effective {
        protocol_handler: value("protocolHandler").map(|name| tomcat::handler(name).to_owned()),
        max_threads: number("maxThreads"),
        virtual_threads: limit("virtualThreads"),
        max_connections: limit("maxConnections"),
        accept_count: number(ACCEPT_COUNT),
        jdk: value("jdk").map(str::to_owned),
        gc: value("gc").map(str::to_owned),
        heap: number("heap").map(Bytes),
        chosen: chosen(&value),
        jvm_threads: jvm_threads(&value),
        processors: number("processorsSeen"),
        further: further.collect(),
        ..Effective::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use record::outcome::Limit;

    #[test]
    fn what_the_jvm_has_chosen_is_known_only_where_nobody_has_set_it() {
        let told = "heap=134217728\nownHeap=true\nmemorySeen=536870912\nprocessorsSeen=1\ngc=Serial\nownCollector=true\n";
        let expected = JvmChoices { heap: true, collector: true, memory: Bytes(512 << 20), processors: 1 };
        assert_eq!((parse(told).chosen, parse(told).processors), (Some(expected), Some(1)));
        let set = told.replace("ownHeap=true", "ownHeap=false");
        assert_eq!(parse(&set).chosen, Some(JvmChoices { heap: false, ..expected }));
        assert_eq!(parse(&set.replace("ownCollector=true", "ownCollector=false")).chosen, None);
        assert_eq!(parse("heap=134217728\n").chosen, None);
    }

    #[test]
    fn the_threads_of_a_jvm_are_known_where_it_tells_them() {
        let told = "processorsSeen=8\nParallelGCThreads=8\nCICompilerCount=4\n";
        let expected = JvmThreads { processors: 8, collecting: 8, compiling: 4 };
        assert_eq!(parse(told).jvm_threads, Some(expected));
        let serial = parse(&told.replace("GCThreads=8", "GCThreads=0")).jvm_threads;
        assert_eq!(serial, Some(JvmThreads { collecting: 1, ..expected }), "Serial");
        assert_eq!(parse("processorsSeen=8\n").jvm_threads, None);
    }

    #[test]
    fn a_value_that_is_missing_is_unknown() {
        let effective = parse("jdk=17.0.15\nheap=268435456\ngc=G1\nmaxThreads=-1\nmaxConnections=8192\n");
        assert_eq!(effective.jdk.as_deref(), Some("17.0.15"));
        assert_eq!(effective.gc.as_deref(), Some("G1"));
        assert_eq!(effective.heap, Some(Bytes(256 << 20)));
        assert_eq!(effective.max_connections, Some(Limit::At(8192)));
        assert_eq!((effective.max_threads, effective.accept_count), (None, None));
        assert_eq!(parse("accept_count=100\n").accept_count, Some(100));
    }

    #[test]
    fn a_value_without_a_field_of_its_own_is_stored_under_its_key() {
        let further = [("idle".to_owned(), " 20000\n".into()), ("mode".to_owned(), "on".into())];
        let effective = Effective { further: further.into(), ..Effective::default() };
        let stored = serde_json::to_value(&effective).expect("JSON");
        assert_eq!((&stored["idle"], &stored["mode"]), (&20000.into(), &"on".into()));
        assert_eq!(serde_json::from_value::<Effective>(stored).expect("read"), effective);
    }

    #[test]
    fn keys_that_are_read_back_are_asked_for_by_their_objects_on_the_port() {
        let all: Vec<String> = questions(8080).collect();
        let tomcat = ["accept_count", "*:type=ThreadPool,name=\"*-8080\"", "acceptCount"];
        assert!(all.chunks(3).any(|one| one == tomcat), "{all:?}");
    }
}
