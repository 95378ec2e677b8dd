//! A server that answers after a fixed delay for some seconds, then says how long each answer really took it:
//! `cargo run --release -p load --example keeper -- 127.0.0.1:18080 DELAY-MS SECONDS`.

use std::time::Duration;
use testkit::{Reply, Script, Server};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, delay, seconds] = arguments.as_slice() else {
        return Err("usage: keeper ADDRESS DELAY-MS SECONDS".into());
    };
    let delay = Duration::from_secs_f64(delay.parse::<f64>()? / 1e3);
    // ab asks by HTTP/1.0 and has to be told that the connection stays.
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 64\r\nConnection: keep-alive\r\n\r\n";
    let reply = Reply::raw(format!("{head}{}", "x".repeat(64))).after(delay);
    let server = Server::start_on(address.parse()?, Script::new(reply))?;
    std::thread::sleep(Duration::from_secs_f64(seconds.parse()?));
    let mut held = server.held();
    held.sort_unstable();
    let quantile = |q: f64| {
        let at = ((held.len() as f64 - 1.0) * q) as usize;
        held.get(at).map_or(0.0, |time| time.as_secs_f64() * 1e6)
    };
    println!(
        "{} answers, p50 {:.1} us, p99 {:.1} us",
        held.len(),
        quantile(0.5),
        quantile(0.99)
    );
    Ok(())
}
