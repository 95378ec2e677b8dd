//! A server for tests of whole runs: `fixture HOST PORT [OPTION…]`. It answers 10 ms after it was started, has nothing that has to be
//! warmed up, and so takes the place of a JVM wherever a test asserts nothing of one.
//!
//! Whatever the path, it answers 200 and `ok`, except: `/hello` and `/json` answer as the application `hello`
//! does, `/status/503` answers with that status, `/pay?millis=20` waits for 20 ms, `/cpus` tells how many
//! CPUs the server had when it was started, and `/health` answers at once, whatever the options say.
//!
//! Options: `--delay MS` waits before each answer; `--pool N` lets at most N requests wait at the same time;
//! `--pool-of NAME` takes N from a variable of the environment; `--token WORD` answers 401 to requests without
//! `Authorization: Bearer WORD`, except for `/`, which tells that the server is ready; `--token-in FILE` takes the
//! word from a file; `--grow MIB` keeps so much more memory after each answer; `--cache-of NAME` asks the memcached
//! whose address is in a variable of the environment before each answer. Whatever follows `--` is ignored.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;
use testkit::{Answered, AnsweringServer, Asked};

/// What the options say.
#[derive(Debug, Default)]
struct Behaviour {
    delay: Duration,
    pool: Option<Pool>,
    token: Option<String>,
    growth: Option<Growth>,
    /// The address of a memcached.
    cache: Option<String>,
    /// The CPUs that this process had when it was started.
    cpus: usize,
}

impl Behaviour {
    /// Reads the options; an error is a sentence.
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut behaviour =
            Self { cpus: std::thread::available_parallelism().map_or(0, usize::from), ..Self::default() };
        while let Some(option) = words.next().filter(|word| word != "--") {
            let value = words.next().ok_or(format!("{option} needs a value"))?;
            let number =
                |text: &str| text.parse().map_err(|_| format!("{option} needs a number, not {text}"));
            match option.as_str() {
                "--delay" => behaviour.delay = Duration::from_millis(number(&value)?),
                "--pool" => behaviour.pool = Some(Pool::of(number(&value)?)),
                "--pool-of" => behaviour.pool = Some(Pool::of(number(&variable(&value)?)?)),
                "--token" => behaviour.token = Some(value),
                "--grow" => behaviour.growth = Some(Growth::by(number(&value)?)),
                "--cache-of" => behaviour.cache = Some(variable(&value)?),
                "--token-in" => {
                    let token = std::fs::read_to_string(&value)
                        .map_err(|error| format!("cannot read {value}: {error}"))?;
                    behaviour.token = Some(token);
                }
                _ => return Err(format!("{option} is no option")),
            }
        }
        Ok(behaviour)
    }

    fn answer(&self, asked: &Asked) -> Answered {
        if asked.path == "/health" {
            return Answered::ok("ok");
        }
        let authorized = |token| asked.header("Authorization") == format!("Bearer {token}");
        if asked.path != "/" && !self.token.as_ref().is_none_or(authorized) {
            return Answered::ok("who are you?").status(401);
        }
        let (path, query) = asked.path.split_once('?').unwrap_or((&asked.path, ""));
        let paid = query.rsplit_once("millis=").and_then(|(_, millis)| millis.parse().ok());
        self.wait(self.delay + Duration::from_millis(paid.unwrap_or(0)));
        if let Some(growth) = &self.growth {
            growth.go_on();
        }
        if let Some(error) = self.cache.as_deref().and_then(|cache| ask(cache).err()) {
            return Answered::ok(error.to_string()).status(502);
        }
        let status = path.strip_prefix("/status/").and_then(|status| status.parse().ok());
        Answered::ok(match path {
            "/hello" => "Hello, World!",
            "/json" => r#"{"message":"Hello, World!"}"#,
            "/cpus" => return Answered::ok(self.cpus.to_string()),
            _ => "ok",
        })
        .status(status.unwrap_or(200))
    }

    /// Waits in a place of the pool.
    fn wait(&self, time: Duration) {
        let _place = self.pool.as_ref().map(Pool::take);
        if !time.is_zero() {
            std::thread::sleep(time);
        }
    }
}

/// The value of a variable of the environment.
fn variable(name: &str) -> Result<String, String> {
    std::env::var(name).map_err(|_| format!("the variable {name} is not set"))
}

/// Asks a memcached for a value that it need not have.
fn ask(cache: &str) -> io::Result<()> {
    let mut stream = TcpStream::connect(cache)?;
    stream.write_all(b"get a\r\n")?;
    stream.read_exact(&mut [0; b"END\r\n".len()])
}

/// Memory that is never given back.
#[derive(Debug)]
struct Growth {
    /// The bytes by which it grows.
    step: usize,
    kept: Mutex<Vec<Vec<u8>>>,
}

impl Growth {
    fn by(mebibytes: u64) -> Self {
        Self { step: (mebibytes << 20) as usize, kept: Mutex::default() }
    }

    fn go_on(&self) {
        // Pages that nobody has written to would take no memory.
        let more = vec![1; self.step];
        self.kept.lock().expect("no panic while held").push(more);
    }
}

/// A limit of the requests that wait at the same time.
#[derive(Debug)]
struct Pool {
    free: Mutex<u64>,
    freed: Condvar,
}

impl Pool {
    fn of(places: u64) -> Self {
        Self { free: Mutex::new(places), freed: Condvar::new() }
    }

    fn take(&self) -> Place<'_> {
        let free = self.free.lock().expect("no panic while held");
        *self.freed.wait_while(free, |free| *free == 0).expect("no panic while held") -= 1;
        Place(self)
    }
}

/// A place of a pool; it is free again when this is dropped.
struct Place<'a>(&'a Pool);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().expect("no panic while held") += 1;
        self.0.freed.notify_one();
    }
}

fn main() -> ExitCode {
    // The first process of a container ignores SIGTERM unless it handles it.
    let always = Arc::new(AtomicBool::new(true));
    signal_hook::flag::register_conditional_shutdown(signal_hook::consts::SIGTERM, 0, always)
        .expect("SIGTERM can be handled");
    let _server = match serve() {
        Ok(server) => server,
        Err(error) => {
            eprintln!("fixture: {error}");
            return ExitCode::FAILURE;
        }
    };
    loop {
        std::thread::park();
    }
}

fn serve() -> Result<AnsweringServer, String> {
    let mut words = std::env::args().skip(1);
    let mut next = |what: &str| words.next().ok_or(format!("{what} is missing: fixture HOST PORT [OPTION…]"));
    let (host, port) = (next("the host")?, next("the port")?);
    let address = format!("{host}:{port}");
    let behaviour = Behaviour::parse(words)?;
    AnsweringServer::start_unlogged(&address, move |asked| behaviour.answer(asked))
        .map_err(|error| format!("cannot listen on {address}: {error}"))
}
