//! A program that the tests start. `guard PARENT PROGRAM…` is the guard, like `prony __guard` in the product. `serve
//! CACHE` starts a server, prints its process id and waits to be killed; `surround CACHE` does so with limits and a
//! memcached, `link CACHE` behind a link.

use model::link::Link;
use model::units::Bytes;
use std::error::Error;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::sleep;
use std::time::Duration;
use sut::{App, Catalog, Guard, Network, Packaging, Program, Server, ServerSpec, Site, WorkFolder, jdk};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(command), Some(first)) = (arguments.next(), arguments.next()) else {
        return ExitCode::from(2);
    };
    if command == "guard" {
        return sut::guard::main([first].into_iter().chain(arguments));
    }
    match serve(first.into(), &command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(cache: PathBuf, command: &OsStr) -> Result<(), Box<dyn Error>> {
    let stop = AtomicBool::new(false);
    let site = Site {
        guard: Guard::new("/proc/self/exe", ["guard"]),
        ..Site::new(cache)
    };
    let catalog = Catalog::embedded();
    let release = catalog.lookup("tomcat:10.1.29")?;
    let app = App::find("hello")?;
    let program = Program::obtain(
        &release,
        &Packaging::for_release(&release),
        &app,
        &site,
        &stop,
        &mut |_| {},
    )?;
    let jdks = jdk::jdks();
    let jdk = jdk::newest_lts(&jdks, release.ability.java)?.clone();
    let mut spec = ServerSpec::new(release.spec(), program, jdk, app.default_answer().clone());
    let network = (command == "link").then(|| Network::create(&Link::default(), &site, &stop));
    let network = network.transpose()?.map(Arc::new);
    let _entered = network.as_deref().map(Network::enter).transpose()?;
    spec.surroundings.network = network.clone();
    if command == "surround" {
        spec.surroundings.limits.memory = Some(Bytes(1 << 30));
        spec.surroundings.services = sut::catalog::services();
    }
    let server = Server::start(&spec, WorkFolder::create(&site.cache, 1)?, &site.guard, &stop)?;
    println!("{}", server.pid());
    sleep(Duration::from_secs(600));
    server.stop()?;
    Ok(())
}
