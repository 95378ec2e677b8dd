//! Other machines, made of namespaces of this one, to try prony with: `hosts NAME…` prints the ssh configuration by which they are
//! reached, and keeps them until its standard input ends. Set `PRONY_SSH_CONFIG` to that file.

use std::io::{self, Read};
use testkit::{Host, Hosts};

fn main() -> io::Result<()> {
    let mut hosts = Hosts::new()?;
    let names = std::env::args().skip(1);
    let machines: Vec<Host> = names.map(|name| hosts.add(&name, None)).collect::<Result<_, _>>()?;
    println!("{}", hosts.config().display());
    io::stdin().read_to_end(&mut Vec::new())?;
    drop(machines);
    Ok(())
}
