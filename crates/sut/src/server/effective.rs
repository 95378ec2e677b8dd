//! Settings read off the running server: what took effect, not what was asked for.
//!
//! The log says which server and which connector; its MBeans say the limits, read by a small Java program over the JDK's
//! own attach interface. That starts a JVM and a management agent, so ask after the load and not before. How long the accept
//! queue is the kernel knows better, and `probe` asks it.

use crate::error::Error;
use crate::programs::tomcat;
use crate::server::running::Server;
use crate::tools::jdk::{self, Jdk};
use crate::tools::site::Site;
use crate::tools::tool;
use model::outcome::Effective;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The program that asks.
const PROGRAM: &str = include_str!("Mbeans.java");
/// Oldest Java that runs it.
const PROGRAM_JAVA: u32 = 17;
/// It takes about a second on a quiet machine.
const LIMIT: Duration = Duration::from_secs(60);

/// What a server runs with. A figure that it does not say is `None`.
pub fn effective(server: &Server, site: &Site, stop: &AtomicBool) -> Result<Effective, Error> {
    let logged = server.spec().program.system().said(&server.log());
    let java = server.spec().program.is_java();
    let answers = if java { ask(server, site, stop)? } else { None };
    let answers = answers.unwrap_or_default();
    let asked = said(&answers);
    let mut effective = Effective {
        server: logged.server,
        protocol_handler: logged.protocol_handler.or(asked.protocol_handler),
        tls: server.encryption().map(|agreed| with(agreed, logged.tls)),
        virtual_threads: logged.virtual_threads.or(asked.virtual_threads),
        ..asked
    };
    if effective.virtual_threads.is_some() {
        effective.max_threads = None; // Still reported, and without effect.
    }
    if java {
        effective
            .jdk
            .get_or_insert_with(|| server.spec().jdk.version.clone());
    }
    Ok(effective)
}

/// `TLSv1.3 TLS_AES_256_GCM_SHA384; OpenSSL 3.0.19`: what was agreed on, and the libraries in C behind it.
fn with(agreed: &str, libraries: Option<String>) -> String {
    match libraries {
        Some(libraries) => format!("{agreed}; {libraries}"),
        None => agreed.to_owned(),
    }
}

/// What the server's JVM says of itself; `None` without a Java that could ask it.
fn ask(server: &Server, site: &Site, stop: &AtomicBool) -> Result<Option<String>, Error> {
    let Some(jdk) = asking_jdk(&server.spec().jdk) else {
        return Ok(None);
    };
    let work = server.work();
    let program = work.path().join("Mbeans.java");
    fs::write(&program, PROGRAM).map_err(|error| Error::io("write", &program, error))?;
    let command = asking(&jdk, &program, server, site);
    let _there = server.enter()?; // A JVM answers its own machine only.
    let finished = tool::run(command, work, stop, Some(LIMIT))?;
    if !finished.status.success() {
        let mut lines = finished.output.lines();
        let line = lines.find(|line| line.contains("Exception"));
        return Err(Error::Unreadable {
            server: server.spec().server.clone(),
            problem: line.map_or_else(|| finished.status.to_string(), str::to_owned),
        });
    }
    Ok(Some(finished.output))
}

/// A Java program that asks the JVM of a server. One compiler and a small heap: it runs beside the server.
pub(crate) fn asking(jdk: &Jdk, program: &Path, server: &Server, site: &Site) -> Command {
    let mut command = site.guard.command(jdk.java());
    command
        .args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m"])
        .arg(program)
        .arg(server.pid().to_string())
        .arg(server.addr().port().to_string())
        .env_remove("JAVA_TOOL_OPTIONS")
        .env_remove("JDK_JAVA_OPTIONS");
    command
}

/// The server's own Java where that will do, else the newest that will.
pub(crate) fn asking_jdk(own: &Jdk) -> Option<Jdk> {
    let able = |jdk: &Jdk| jdk.major >= PROGRAM_JAVA && jdk.is_full();
    if able(own) {
        return Some(own.clone());
    }
    jdk::jdks().into_iter().rfind(able)
}

/// The program's output as settings; -1 and nonsense are unknown.
fn said(output: &str) -> Effective {
    let value = |name: &str| {
        output
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix('='))
    };
    let number = |name| value(name).and_then(|text| text.trim().parse().ok());
    let limit = |name| value(name).and_then(|text| text.trim().parse().ok());
    Effective {
        protocol_handler: value("protocolHandler").map(|name| tomcat::handler(name).to_owned()),
        max_threads: number("maxThreads"),
        virtual_threads: limit("virtualThreads"),
        max_connections: limit("maxConnections"),
        accept_count: number("acceptCount"),
        jdk: value("jdk").map(str::to_owned),
        gc: value("gc").map(str::to_owned),
        heap: number("heap"),
        ..Effective::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::outcome::Limit;

    #[test]
    fn what_is_not_said_is_unknown() {
        let effective = said("jdk=17.0.15\nheap=268435456\ngc=G1\nmaxThreads=-1\nmaxConnections=8192\n");
        assert_eq!(effective.jdk.as_deref(), Some("17.0.15"));
        assert_eq!(effective.gc.as_deref(), Some("G1"));
        assert_eq!(effective.heap, Some(256 << 20));
        assert_eq!(effective.max_connections, Some(Limit::At(8192)));
        assert_eq!((effective.max_threads, effective.accept_count), (None, None));
    }
}
