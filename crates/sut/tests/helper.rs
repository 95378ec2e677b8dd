//! A program that the tests start. `guard PARENT PROGRAM…` is the guard, like `prony __guard` in the product. `answer PORT BYTES MILLIS` is a
//! small server. `serve CACHE` starts a Tomcat, prints its process id and waits to be killed; `surround CACHE` does so with the small server,
//! limits and a memcached, `link CACHE` with the small server behind a link.
//! The thread that starts the server ends before the process id is printed: a server must survive it.

use ask::link::Link;
use model::units::Bytes;
use rustix::time::{ClockId, clock_gettime};
use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::{scope, sleep, spawn};
use std::time::Duration;
use sut::{
    App, Catalog, CommandLine, Expected, Guard, Jdk, Network, Packaging, Program, Server, ServerSpec, Site,
    WorkFolder, jdk,
};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(command), Some(first)) = (arguments.next(), arguments.next()) else {
        return ExitCode::from(2);
    };
    if command == "guard" {
        return sut::guard::main([first].into_iter().chain(arguments));
    }
    let done = match command == "answer" {
        true => answer([first].into_iter().chain(arguments)),
        false => serve(first.into(), &command),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Spends this many milliseconds of CPU time, and then answers every request with this many bytes.
fn answer(arguments: impl Iterator<Item = OsString>) -> Result<(), Box<dyn Error>> {
    let numbers = arguments.map(|word| word.to_str().and_then(|word| word.parse::<u32>().ok()));
    let Some([port, bytes, millis]) =
        numbers.collect::<Option<Vec<_>>>().as_deref().and_then(<[u32]>::first_chunk).copied()
    else {
        return Err("answer PORT BYTES MILLIS".into());
    };
    while Duration::try_from(clock_gettime(ClockId::ProcessCPUTime))? < Duration::from_millis(millis.into()) {
    }
    let mut answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {bytes}\r\n\r\n").into_bytes();
    answer.resize(answer.len() + bytes as usize, b'x');
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, u16::try_from(port)?))?;
    for stream in listener.incoming().flatten() {
        let answer = answer.clone();
        spawn(move || {
            let lines = BufReader::new(&stream).lines().map_while(Result::ok);
            // An empty line ends a request.
            for _ in lines.filter(String::is_empty) {
                if (&stream).write_all(&answer).is_err() {
                    return;
                }
            }
        });
    }
    Ok(())
}

/// The small server; its answers are empty.
fn small_server(jdk: Jdk) -> Result<ServerSpec, Box<dyn Error>> {
    let words = ["answer", "{port}", "0", "0"].map(str::to_owned);
    let program = Program::Command(CommandLine {
        program: std::env::current_exe()?,
        arguments: words.into(),
        folder: None,
    });
    let ready = Expected {
        headers: Vec::new(),
        path: "/".to_owned(),
        body: Some(Vec::new()),
        any_answer: false,
        greets: false,
    };
    Ok(ServerSpec::new("command", program, jdk, ready))
}

/// A Tomcat with the default application.
fn tomcat(jdk: Jdk, site: &Site, stop: &AtomicBool) -> Result<ServerSpec, Box<dyn Error>> {
    let release = Catalog::embedded().lookup("tomcat:10.1.29")?;
    let app = App::find("hello")?;
    let packaging = Packaging::for_release(&release);
    let program = Program::obtain(&release, &packaging, &app, site, stop, &mut |_| {})?;
    Ok(ServerSpec::new(release.spec(), program, jdk, app.default_answer().clone()))
}

fn serve(cache: PathBuf, command: &OsStr) -> Result<(), Box<dyn Error>> {
    let stop = AtomicBool::new(false);
    let site = Site { guard: Guard::new("/proc/self/exe", ["guard"]), ..Site::new(cache) };
    let jdk = jdk::newest_lts(&jdk::jdks(), 17)?.clone();
    let mut spec = match command == "serve" {
        true => tomcat(jdk, &site, &stop)?,
        false => small_server(jdk)?,
    };
    let network = (command == "link").then(|| Network::create(&Link::default(), &site, &stop));
    let network = network.transpose()?.map(Arc::new);
    let _entered = network.as_deref().map(Network::enter).transpose()?;
    spec.surroundings.network = network.clone();
    if command == "surround" {
        spec.surroundings.limits.memory = Some(Bytes(1 << 30));
        spec.surroundings.services = sut::catalog::services();
    }
    let work = WorkFolder::create(&site.cache, 1)?;
    let started = scope(|scope| {
        let starter = scope.spawn(|| Server::start(&spec, work, &site.guard, &stop));
        starter.join()
    });
    let server = started.map_err(|_| "the starter panicked")??;
    println!("{}", server.pid());
    // Sleeps: until the test ends this program.
    sleep(Duration::from_secs(600));
    server.stop()?;
    Ok(())
}
