//! Settings read off the running server: what took effect, not what was asked for.
//!
//! The log says which server and which connector; its MBeans say the limits, read by a small Java program over the JDK's
//! own attach interface. That starts a JVM and a management agent, so ask after the load and not before.

use crate::catalog::Kind;
use crate::error::Error;
use crate::jdk::{self, Jdk};
use crate::server::Server;
use crate::site::Site;
use crate::tomcat;
use crate::tool;
use model::arm::Threads;
use model::outcome::Effective;
use std::fs;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The program that asks.
const PROGRAM: &str = include_str!("Mbeans.java");
/// Oldest Java that runs it.
const PROGRAM_JAVA: u32 = 17;
/// It takes about a second.
const LIMIT: Duration = Duration::from_secs(30);

/// What a server runs with. A figure that it does not say is `None`.
pub fn effective(server: &Server, site: &Site, stop: &AtomicBool) -> Result<Effective, Error> {
    let log = server.log();
    let (name, protocol_handler) = match server.spec().tree.release.kind {
        Kind::Tomcat => (tomcat::version(&log), tomcat::protocol_handler(&log)),
    };
    let mut effective = Effective {
        server: name,
        protocol_handler,
        ..said(&ask(server, site, stop)?)
    };
    if server.spec().threads == Some(Threads::Virtual) {
        effective.max_threads = None; // Still reported as 200, and without effect.
    }
    Ok(effective)
}

fn ask(server: &Server, site: &Site, stop: &AtomicBool) -> Result<String, Error> {
    let unreadable = |problem: String| Error::Unreadable {
        server: server.spec().tree.release.spec(),
        problem,
    };
    let jdk = asking_jdk(&server.spec().jdk)
        .ok_or_else(|| unreadable(format!("that takes a full JDK, {PROGRAM_JAVA} or newer")))?;
    let work = server.work();
    let program = work.path().join("Mbeans.java");
    fs::write(&program, PROGRAM).map_err(|error| Error::io("write", &program, error))?;
    let mut command = site.guard.command(jdk.java());
    // One compiler and a small heap: it runs beside the server that is measured.
    command
        .args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m"])
        .arg(&program);
    command
        .arg(server.pid().to_string())
        .arg(server.addr().port().to_string());
    command
        .env_remove("JAVA_TOOL_OPTIONS")
        .env_remove("JDK_JAVA_OPTIONS");
    let finished = tool::run(command, work, stop, Some(LIMIT))?;
    if !finished.status.success() {
        let lines: Vec<&str> = finished.output.lines().collect();
        let problem = lines
            .iter()
            .find(|line| line.contains("Exception"))
            .or(lines.first());
        return Err(unreadable(
            problem.map_or_else(|| finished.status.to_string(), |line| (*line).to_owned()),
        ));
    }
    Ok(finished.output)
}

/// The server's own Java where that will do, else the newest that will.
fn asking_jdk(own: &Jdk) -> Option<Jdk> {
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
    Effective {
        max_threads: number("maxThreads"),
        max_connections: number("maxConnections"),
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

    #[test]
    fn what_is_not_said_is_unknown() {
        let effective = said("jdk=17.0.15\nheap=268435456\ngc=G1\nmaxThreads=-1\nmaxConnections=8192\n");
        assert_eq!(effective.jdk.as_deref(), Some("17.0.15"));
        assert_eq!(effective.gc.as_deref(), Some("G1"));
        assert_eq!(effective.heap, Some(256 << 20));
        assert_eq!(effective.max_connections, Some(8192));
        assert_eq!((effective.max_threads, effective.accept_count), (None, None));
    }
}
