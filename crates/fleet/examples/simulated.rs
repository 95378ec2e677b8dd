//! Agents that make no load: each says hello, takes a share, starts at its instant, and sends once a second what a real one would have
//! measured. It is there to see what messages of many agents cost (`bench/fleet`).
//! `cargo run --release -p fleet --example simulated -- nats://127.0.0.1:4222 [AGENTS] [REQUESTS A SECOND OF EACH]`.
//! Each agent has a connection of its own. At the end a line of JSON says what was sent.

use async_nats::{Client, Message, RequestErrorKind, Subscriber};
use fleet::{Delta, decode, encode};
use futures_util::StreamExt;
use hdrhistogram::serialization::{Serializer, V2Serializer};
use load::{Histogram, Slice};
use model::units::{Nanos, Seconds, Share};
use serde_json::{Value, json};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Between two hellos.
const HELLO_EVERY: Duration = Duration::from_millis(500);
/// How long an acknowledgement is awaited, as by real agents.
const ACK: Duration = Duration::from_secs(2);
/// The length of a second, nanoseconds.
const SECOND: u64 = 1_000_000_000;

/// How many different seconds there are; each agent repeats them, so that this program needs little CPU itself.
const SECONDS: u64 = 16;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// What an agent sent.
#[derive(Clone, Copy, Default)]
struct Sent {
    requests: u64,
    deltas: u64,
    bytes: u64,
    again: u64,
    /// The longest time from when a delta was made until it was acknowledged.
    slowest: Duration,
    /// How late the agent woke up for its start.
    late: Duration,
}

/// What every agent measures.
struct Measured {
    /// Requests a second.
    requests: u64,
    seconds: Vec<Histogram>,
    /// The histograms of `seconds`, each as the bytes of a message.
    bytes: Vec<Vec<u8>>,
    /// What is known at the end of the load, and its histograms as bytes.
    summary: OnceLock<(Value, Vec<Vec<u8>>)>,
}

/// What a share and its start tell an agent.
struct Task {
    run: String,
    seconds: u64,
    at: i64,
}

struct Agent {
    id: String,
    client: Client,
    commands: Subscriber,
    measured: Arc<Measured>,
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [server, rest @ ..] = arguments.as_slice() else {
        return Err("usage: simulated URL [AGENTS] [REQUESTS A SECOND OF EACH]".into());
    };
    let number = |index: usize, usual| rest.get(index).map_or(Ok(usual), |text| text.parse::<u64>());
    let (agents, requests) = (number(0, 300)?, number(1, 3_000)?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let all = runtime.block_on(async {
        let measured = Arc::new(Measured::new(requests)?);
        let tasks =
            (0..agents).map(|index| tokio::spawn(serve(server.clone(), index, Arc::clone(&measured))));
        let mut all = Vec::new();
        for task in tasks.collect::<Vec<_>>() {
            all.push(task.await??);
        }
        Ok::<_, Failure>(all)
    })?;
    let sum = |of: fn(&Sent) -> u64| all.iter().map(of).sum::<u64>();
    let longest = |of: fn(&Sent) -> Duration| all.iter().map(of).max().unwrap_or_default().as_secs_f64();
    println!(
        "{}",
        json!({
            "requests": sum(|sent| sent.requests), "deltas": sum(|sent| sent.deltas), "bytes": sum(|sent| sent.bytes),
            "again": sum(|sent| sent.again), "slowest": longest(|sent| sent.slowest), "late": longest(|sent| sent.late),
        })
    );
    Ok(())
}

async fn serve(server: String, index: u64, measured: Arc<Measured>) -> Result<Sent, Failure> {
    let client = async_nats::connect(server).await?;
    let id = format!("s{index:04}");
    let commands = client.subscribe(format!("prony.cmd.{id}")).await?;
    let mut agent = Agent { id, client, commands, measured };
    let task = agent.await_start().await?;
    agent.load(&task).await
}

fn wall_now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_nanos() as i64
}

impl Agent {
    /// Says hello until there is a share with its start.
    async fn await_start(&mut self) -> Result<Task, Failure> {
        let hello = encode("", &json!({ "agent": self.id }), &[]);
        let mut every = tokio::time::interval(HELLO_EVERY);
        let mut share: Option<Task> = None;
        loop {
            tokio::select! {
                _ = every.tick(), if share.is_none() => {
                    self.client.publish("prony.hello", hello.clone().into()).await?;
                }
                message = self.commands.next() => {
                    let message = message.ok_or("the connection ended")?;
                    let received = wall_now();
                    let run = share.as_ref().map_or("", |share| &share.run);
                    let said = decode::<Value>(run, &message.payload).or_else(|_| decode("", &message.payload));
                    let (command, _) = said.map_err(|refused| format!("{refused:?}"))?;
                    if command == "Clock" {
                        answer(&self.client, &message, json!({ "Clock": { "received": received, "answered": wall_now() } })).await?;
                        continue;
                    }
                    answer(&self.client, &message, json!("Done")).await?;
                    if let Some(prepare) = command.get("Prepare") {
                        let counted = prepare["window"]["counted"].as_u64().ok_or("a window")?;
                        share = Some(Task {
                            run: prepare["run"].as_str().ok_or("a run")?.to_owned(),
                            seconds: counted / SECOND,
                            at: 0,
                        });
                    }
                    if let Some(at) = command["Start"]["at"].as_i64() {
                        let share = share.ok_or("a start without a share")?;
                        return Ok(Task { at, ..share });
                    }
                }
            }
        }
    }

    /// Sends a delta each second, and the last one with the sum of all.
    async fn load(&self, task: &Task) -> Result<Sent, Failure> {
        let ahead = Duration::from_nanos((task.at - wall_now()).max(0) as u64);
        let start = Instant::now() + ahead;
        let mut sent = Sent::default();
        // Until then, signs of life.
        while start.saturating_duration_since(Instant::now()) > Duration::from_secs(1) {
            let delta = self.delta(&sent, 0, &Value::Null);
            self.send(&task.run, &delta, &[], &mut sent).await?;
            tokio::time::sleep(Duration::from_millis(900)).await;
        }
        tokio::time::sleep_until(start.into()).await;
        sent.late = start.elapsed();
        let begun = json!({ "planned": task.at, "late": sent.late.as_nanos() as u64 });
        let requests = self.measured.requests;
        for second in 0..task.seconds {
            tokio::time::sleep_until((start + Duration::from_secs(second + 1)).into()).await;
            sent.requests += requests;
            let bytes = self.measured.bytes[(second % SECONDS) as usize].clone();
            let interval = json!({
                "shard": 0, "start": second * SECOND, "elapsed": SECOND, "requests": requests, "ok": requests,
                "bytes": 128 * requests, "body_bytes": 64 * requests, "faults": [], "connects": 0, "lag_p99": 50_000,
                "lag_max": 90_000,
            });
            let mut delta = self.delta(&sent, requests, &begun);
            delta["intervals"] = json!([interval]);
            self.send(&task.run, &delta, &[bytes.clone(), bytes], &mut sent).await?;
        }
        let mut delta = self.delta(&sent, 0, &begun);
        delta["last"] = json!(true);
        let (summary, parts) = self.measured.summary_of(task.seconds);
        delta["summary"] = summary.clone();
        self.send(&task.run, &delta, parts, &mut sent).await?;
        Ok(sent)
    }

    fn delta(&self, sent: &Sent, count: u64, begun: &Value) -> Value {
        json!({
            "agent": self.id, "seq": sent.deltas + 1, "totals": { "count": count, "total": sent.requests }, "last": false,
            "begun": begun, "intervals": [], "tenths": null, "summary": null, "failed": null, "ended_early": false,
        })
    }

    /// Sends a delta until it is acknowledged.
    async fn send(
        &self,
        run: &str,
        delta: &Value,
        parts: &[Vec<u8>],
        sent: &mut Sent,
    ) -> Result<(), Failure> {
        let (bytes, made) = (encode(run, delta, parts), Instant::now());
        sent.deltas += 1;
        sent.bytes += bytes.len() as u64;
        loop {
            let request = self.client.request(format!("prony.d.{}", self.id), bytes.clone().into());
            let said = tokio::time::timeout(ACK, request).await;
            // The coordinator may end before its last acknowledgement comes. What is lost shows in the counts.
            let is_alone = matches!(&said, Ok(Err(error)) if error.kind() == RequestErrorKind::NoResponders);
            if is_alone && delta["last"] == true {
                return Ok(());
            }
            if let Ok(Ok(reply)) = said {
                let (stored, _) =
                    decode::<Value>(run, &reply.payload).map_err(|refused| format!("{refused:?}"))?;
                if stored["seq"] == sent.deltas {
                    sent.slowest = sent.slowest.max(made.elapsed());
                    return Ok(());
                }
            }
            if made.elapsed() > Duration::from_secs(30) {
                return Err("nobody acknowledges".into());
            }
            sent.again += 1;
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

impl Measured {
    fn new(requests: u64) -> Result<Self, Failure> {
        let seconds: Vec<Histogram> = (0..SECONDS).map(|seed| times(requests, seed)).collect();
        let bytes = seconds.iter().map(histogram_bytes).collect::<Result<_, _>>()?;
        Ok(Self { requests, seconds, bytes, summary: OnceLock::new() })
    }

    /// Returns what is known at the end of so many seconds, and its histograms as bytes.
    fn summary_of(&self, seconds: u64) -> &(Value, Vec<Vec<u8>>) {
        self.summary.get_or_init(|| {
            let mut slice = Slice::empty();
            for second in 0..seconds {
                slice.response += &self.seconds[(second % SECONDS) as usize];
            }
            slice.service = slice.response.clone();
            let requests = seconds * self.requests;
            (slice.requests, slice.ok, slice.offered) = (requests, requests, requests);
            (slice.bytes, slice.body_bytes) = (128 * requests, 64 * requests);
            (slice.connects, slice.connects_total) = (1, 1);
            (slice.elapsed, slice.generator_cpu) = (Nanos(seconds * SECOND), Nanos(SECOND));
            (slice.in_flight_integral, slice.service_sum) = (Seconds(1.0), Seconds(1.0));
            (slice.self_check.cpu_share, slice.self_check.kernel_times) = (Share(0.1), true);
            let (mut delta, mut parts) = (Delta::default(), Vec::new());
            delta.summarize(&mut slice, &mut parts);
            (json!(delta)["summary"].take(), parts)
        })
    }
}

async fn answer(client: &Client, message: &Message, said: Value) -> Result<(), Failure> {
    if let Some(reply) = &message.reply {
        client.publish(reply.clone(), encode("", &said, &[]).into()).await?;
    }
    Ok(())
}

fn histogram_bytes(histogram: &Histogram) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    V2Serializer::new().serialize(histogram, &mut bytes)?;
    Ok(bytes)
}

/// Times from 0.1 ms up, most of them short and some of them long, by a linear congruential generator.
fn times(count: u64, seed: u64) -> Histogram {
    let (mut histogram, mut state) = (load::new_histogram(), seed.wrapping_add(1));
    for _ in 0..count {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let uniform = (state >> 11) as f64 / (1_u64 << 53) as f64;
        histogram.saturating_record((100_000.0 - 900_000.0 * (1.0 - uniform).ln()) as u64);
    }
    histogram
}
