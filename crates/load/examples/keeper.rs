//! A server that answers after a fixed delay. After some seconds it stops and prints how long its answers really took:
//! `cargo run --release -p load --example keeper -- 127.0.0.1:18080 DELAY-MS SECONDS`.

use std::time::Duration;
use testkit::{Reply, Script, ScriptedServer, told_delays};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, delay, seconds] = arguments.as_slice() else {
        return Err("usage: keeper ADDRESS DELAY-MS SECONDS".into());
    };
    let delay = Duration::from_secs_f64(delay.parse::<f64>()? / 1e3);
    // ab uses HTTP/1.0, so it has to be told that the connection is kept.
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 64\r\nConnection: keep-alive\r\n\r\n";
    let reply = Reply::raw(format!("{head}{}", "x".repeat(64))).after(delay);
    let server = ScriptedServer::start_on(address.parse()?, Script::new(reply))?;
    std::thread::sleep(Duration::from_secs_f64(seconds.parse()?));
    println!("{}", told_delays(server.delays()));
    Ok(())
}
