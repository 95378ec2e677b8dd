//! [`Agent`]: it says hello until it gets a share, makes the load, and sends what it measures.

use crate::commands::{Commands, Received};
use crate::creds::Creds;
use crate::duty::Duty;
use crate::error::{Error, Refusal};
use crate::frame::{Refused, encode};
use crate::instant::{this_machine, this_network, wall_now};
use crate::link::Link;
use crate::message::{AgentRefusal, Answer, Begun, Command, HELLO, Hello, commands_of, is_id};
use crate::outbox::{Ended, Outbox};
use crate::share_run::ShareRun;
use async_nats::Message;
use load::Session;
use model::patience::Patience;
use say::Say;
use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use traffic::plan::{LoadPart, Plan, Target, Window};

/// Between two hellos.
const HELLO_EVERY: Duration = Duration::from_millis(500);
/// How long it is kept what nobody has acknowledged.
const KEPT: Duration = Duration::from_secs(600);
/// How long a prepared share waits for its start.
const START_WAIT: Duration = Duration::from_secs(30);

/// An agent of a fleet.
#[derive(Clone, Debug)]
pub struct Agent {
    /// Where the NATS server is, such as `nats://10.0.0.1:4222`.
    pub server: String,
    /// Who it is for the server.
    pub creds: Option<Creds>,
    /// Its id: at most 64 letters, digits, `-` and `_`.
    pub id: String,
    /// What it may load.
    pub allowed: Allowed,
    /// Whether it ends after one load.
    pub once: bool,
    /// How soon its connection to the server is given up and made again. How long it and a coordinator wait for each other is up to the
    /// coordinator.
    pub patience: Patience,
}

/// What an agent may load: loopback addresses, and its list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allowed {
    addresses: BTreeSet<SocketAddr>,
    /// Hosts on which any port may be loaded.
    hosts: BTreeSet<IpAddr>,
    /// The texts by which they were allowed, for servers that are known by their names alone.
    texts: BTreeSet<String>,
}

/// What happens to an agent, for its log.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum AgentEvent {
    /// It is connected, and waits for a load.
    #[say(en = "connected; waiting for a load", zh = "已连接，等待负载")]
    Waits,
    /// It has a share: part `index` (from 0) of `of`.
    #[say(
        en = "has share {number} of {of}",
        zh = "得到第 {number} 份（共 {of} 份）",
        number = index + 1
    )]
    Share {
        /// The part.
        index: u64,
        /// The number of parts.
        of: u64,
    },
    /// It makes loads for an experiment from now on.
    #[say(en = "makes loads for an experiment", zh = "开始为一个实验施加负载")]
    Joined,
    /// It refused a share.
    #[say(en = "refused a share: {0}", zh = "拒绝了份额：{0}")]
    Refused(Refusal),
    /// A message was refused.
    #[say(en = "refused a message: {0}", zh = "拒绝了一条消息：{0}")]
    Stranger(Refused),
    /// The load is over, and the coordinator has everything.
    #[say(en = "finished; the coordinator has everything", zh = "已完成，协调端已收到全部数据")]
    Finished,
    /// A coordinator came back, and gets what was kept for it.
    #[say(en = "sends what it kept to a coordinator that came back", zh = "协调端已恢复，正在发送保留的数据")]
    Resends,
    /// The load was ended because the coordinator was lost.
    #[say(en = "ended the load, because the coordinator was lost", zh = "因与协调端失联，已停止负载")]
    CoordinatorLost,
}

/// The servers of a plan that are known by their names: behind a proxy, or looked up again and again.
fn named_servers(plan: &Plan) -> impl Iterator<Item = (&str, u16)> {
    let others = plan.sessions.iter().flat_map(|sessions| &sessions.others);
    let others = others.map(|other| (&other.tunnel, &other.lookup));
    std::iter::once((&plan.tunnel, &plan.lookup)).chain(others).flat_map(|(tunnel, lookup)| {
        let tunnel = tunnel.as_ref().map(|tunnel| (tunnel.host.as_str(), tunnel.port));
        tunnel.into_iter().chain(lookup.as_ref().map(|lookup| (lookup.host.as_str(), lookup.port)))
    })
}

impl Allowed {
    /// Adds a `HOST:PORT`, or `HOST:*` for all ports; a name stands for all its addresses.
    ///
    /// # Errors
    ///
    /// When it is no address and cannot be resolved.
    pub fn add(&mut self, address: &str) -> std::io::Result<()> {
        match address.strip_suffix(":*") {
            Some(host) => {
                let host = host.trim_start_matches('[').trim_end_matches(']');
                self.hosts.extend((host, 0).to_socket_addrs()?.map(|address| address.ip()));
            }
            None => self.addresses.extend(address.to_socket_addrs()?),
        }
        self.texts.insert(address.to_ascii_lowercase());
        Ok(())
    }

    /// Whether a server may be loaded that is looked up later, or by a proxy: only the name counts that was allowed.
    fn permits_name(&self, host: &str, port: u16) -> bool {
        let host = host.to_ascii_lowercase();
        let is_named = |port: &str| self.texts.contains(&format!("{host}:{port}"));
        is_named("*")
            || is_named(&port.to_string())
            || host.parse().is_ok_and(|address: IpAddr| self.permits(&Target::Tcp((address, port).into())))
    }

    /// Opens a share, if all its servers may be loaded and the generator takes it.
    pub(crate) fn open(&self, plan: Plan) -> Result<Session, AgentRefusal> {
        if let Some(target) = plan.targets().find(|target| !self.permits(target)) {
            return Err(AgentRefusal::Target(match target {
                Target::Tcp(address) => address.to_string(),
                Target::Unix(path) => path.display().to_string(),
            }));
        }
        if let Some((host, port)) = named_servers(&plan).find(|(host, port)| !self.permits_name(host, *port))
        {
            return Err(AgentRefusal::Target(format!("{host}:{port}")));
        }
        Session::open(plan).map_err(|error| AgentRefusal::Plan(error.to_string()))
    }

    /// Whether a target may be loaded. Unix sockets may not: they are files of this machine.
    pub(crate) fn permits(&self, target: &Target) -> bool {
        match target {
            Target::Tcp(address) => {
                let ip = address.ip();
                ip.is_loopback() || self.hosts.contains(&ip) || self.addresses.contains(address)
            }
            Target::Unix(_) => false,
        }
    }
}

/// What an agent is asked to do.
enum Task {
    /// A load of one slice, which starts at this time of its wall clock.
    Load(Box<Prepared>, i64),
    /// The loads of an experiment, of this run, with the patience of its coordinator.
    Experiment(String, Patience),
    /// To send what it kept.
    Resend,
}

/// What nobody has acknowledged of a load whose coordinator was lost.
struct Kept {
    run: String,
    patience: Patience,
    outbox: Outbox,
    since: Instant,
}

/// A share that is checked and ready to start.
struct Prepared {
    run: String,
    /// That of its coordinator.
    patience: Patience,
    session: Session,
    plan: Plan,
    window: Window,
    since: Instant,
}

impl Agent {
    /// Serves until `stop` is raised, or after one load if it is to end then.
    ///
    /// # Errors
    ///
    /// When the server refuses the credentials or a subject; all other troubles with it are waited out.
    pub fn serve(&self, stop: &Arc<AtomicBool>, on_event: &mut dyn FnMut(AgentEvent)) -> Result<(), Error> {
        if !is_id(&self.id) {
            return Err(Error::BadId { id: self.id.clone() });
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(self.serve_loads(stop, on_event))
    }

    async fn serve_loads(
        &self,
        stop: &Arc<AtomicBool>,
        on_event: &mut dyn FnMut(AgentEvent),
    ) -> Result<(), Error> {
        let link = tokio::select! {
            link = Link::connect(&self.server, self.creds.as_ref(), self.patience, None) => link?,
            () = raised(stop) => return Ok(()),
        };
        let subscribed = link.client.subscribe(commands_of(&self.id)).await;
        let subscribed = subscribed.map_err(|error| Error::NotPermitted { said: error.to_string() })?;
        let mut commands = Commands::new(&link, subscribed);
        on_event(AgentEvent::Waits);
        let mut kept: Option<Kept> = None;
        loop {
            let awaited = self.await_task(&link, &mut commands, &mut kept, stop, on_event);
            let Some(task) = awaited.await? else {
                return Ok(());
            };
            let ended = match task {
                Task::Load(prepared, start) => {
                    let made = make_share(&self.id, &link, *prepared, start, &mut commands, stop).await?;
                    let (ended, rest) = made;
                    kept = (ended == Ended::CoordinatorLost).then_some(rest);
                    Ok(ended)
                }
                Task::Resend => {
                    on_event(AgentEvent::Resends);
                    let Some(mine) = &kept else { continue };
                    let sent = mine.outbox.send_all(&link, &self.id, &mine.run, mine.patience).await;
                    kept = kept.filter(|_| matches!(sent, Ok(Ended::CoordinatorLost)));
                    sent
                }
                Task::Experiment(run, patience) => {
                    on_event(AgentEvent::Joined);
                    let duty = Duty {
                        agent: &self.id,
                        allowed: &self.allowed,
                        link: &link,
                        run: &run,
                        patience,
                        stop,
                    };
                    duty.serve(&mut commands).await
                }
            };
            on_event(match ended? {
                Ended::Finished => AgentEvent::Finished,
                Ended::CoordinatorLost => AgentEvent::CoordinatorLost,
            });
            if self.once || stop.load(Ordering::Relaxed) {
                return Ok(());
            }
        }
    }

    /// Says hello until there is something to do; `None` when `stop` is raised.
    async fn await_task(
        &self,
        link: &Link,
        commands: &mut Commands,
        kept: &mut Option<Kept>,
        stop: &AtomicBool,
        on_event: &mut dyn FnMut(AgentEvent),
    ) -> Result<Option<Task>, Error> {
        let hello = encode(
            "",
            &Hello { agent: self.id.clone(), machine: this_machine(), network: this_network() },
            &[],
        );
        let mut every = tokio::time::interval(HELLO_EVERY);
        let mut prepared: Option<Prepared> = None;
        loop {
            tokio::select! {
                _ = every.tick() => {
                    link.check()?;
                    if stop.load(Ordering::Relaxed) {
                        return Ok(None);
                    }
                    kept.take_if(|kept| kept.since.elapsed() >= KEPT);
                    prepared = prepared.filter(|ready| ready.since.elapsed() <= START_WAIT);
                    if prepared.is_none() {
                        // A hello that does not arrive is followed by others.
                        link.client.publish(HELLO, hello.clone().into()).await.ok();
                    }
                }
                received = commands.next() => {
                    let Some(received) = received else { return Ok(None) };
                    if kept.as_ref().is_some_and(|kept| kept.is_asked_for(&received)) {
                        return Ok(Some(Task::Resend));
                    }
                    let (said, task) = self.obey(&received, &mut prepared, on_event);
                    if let Some(said) = said {
                        answer(link, &received.message, &said).await;
                    }
                    if task.is_some() {
                        return Ok(task);
                    }
                }
            }
        }
    }

    /// Does what a command asks while there is no load. Returns the answer, and what is to be done then.
    fn obey(
        &self,
        message: &Received,
        prepared: &mut Option<Prepared>,
        on_event: &mut dyn FnMut(AgentEvent),
    ) -> (Option<Answer>, Option<Task>) {
        let received = wall_now();
        let run = prepared.as_ref().map_or("", |ready| &ready.run);
        // Clock and preparation come before the run is known.
        let command = message.command(run).or_else(|_| message.command(""));
        let refused = |refusal| (Some(Answer::Refused(refusal)), None);
        match command {
            Err(stranger) => {
                on_event(AgentEvent::Stranger(stranger));
                (None, None)
            }
            Ok(Command::Clock) => {
                let answered = wall_now();
                (Some(Answer::Clock { received, answered }), None)
            }
            Ok(Command::Prepare { run, .. }) if prepared.as_ref().is_some_and(|ready| ready.run != run) => {
                refused(AgentRefusal::Busy)
            }
            Ok(Command::Prepare { plan, window, run, patience }) => {
                let ready = self.prepare(*plan, window, run, patience);
                (Some(keep_share(ready, prepared, on_event)), None)
            }
            Ok(Command::Start { at }) if at <= received => refused(AgentRefusal::TooLate),
            Ok(Command::Start { at }) => match prepared.take() {
                Some(ready) => (Some(Answer::Done), Some(Task::Load(Box::new(ready), at))),
                None => refused(AgentRefusal::Busy),
            },
            Ok(Command::Join { run, patience }) if prepared.is_none() => {
                (Some(Answer::Done), Some(Task::Experiment(run, patience)))
            }
            // These come for an experiment that this agent has left, or has not joined.
            Ok(
                Command::Join { .. }
                | Command::Open { .. }
                | Command::Close { .. }
                | Command::Resume
                | Command::Slices(_)
                | Command::Cancel(_),
            ) => refused(AgentRefusal::Busy),
            Ok(Command::Stop | Command::Leave) => {
                *prepared = None;
                (Some(Answer::Done), None)
            }
        }
    }

    /// Checks a share and takes the memory that it needs.
    fn prepare(
        &self,
        plan: Plan,
        window: Window,
        run: String,
        patience: Patience,
    ) -> Result<Prepared, AgentRefusal> {
        let session = self.allowed.open(plan.clone())?;
        Ok(Prepared { run, patience, session, plan, window, since: Instant::now() })
    }
}

impl Kept {
    /// Whether a coordinator that took up the load asks for it.
    fn is_asked_for(&self, received: &Received) -> bool {
        matches!(received.command(&self.run), Ok(Command::Resume))
    }
}

/// Keeps a share that is ready to start. Returns the answer to the command that asked for it.
fn keep_share(
    ready: Result<Prepared, AgentRefusal>,
    prepared: &mut Option<Prepared>,
    on_event: &mut dyn FnMut(AgentEvent),
) -> Answer {
    match ready {
        Ok(ready) => {
            let LoadPart { index, of, .. } = ready.plan.share;
            on_event(AgentEvent::Share { index, of });
            *prepared = Some(ready);
            Answer::Done
        }
        Err(refusal) => {
            on_event(AgentEvent::Refused(refusal.clone().into()));
            Answer::Refused(refusal)
        }
    }
}

/// Makes a load of one slice. Returns what is left of it, too.
async fn make_share(
    agent: &str,
    link: &Link,
    prepared: Prepared,
    start: i64,
    commands: &mut Commands,
    stop: &AtomicBool,
) -> Result<(Ended, Kept), Error> {
    let share = ShareRun { agent, link, run: &prepared.run, patience: prepared.patience, stop };
    let begun = Begun { planned: start, late: 0 };
    let made = share.make(prepared.session, &prepared.plan, prepared.window, begun, commands);
    let (ended, outbox) = made.await?;
    let kept = Kept { run: prepared.run, patience: prepared.patience, outbox, since: Instant::now() };
    Ok((ended, kept))
}

/// Answers a command, if it asks for an answer.
pub(crate) async fn answer(link: &Link, message: &Message, said: &Answer) {
    if let Some(reply) = &message.reply {
        // An answer that does not arrive is asked for again.
        link.client.publish(reply.clone(), encode("", said, &[]).into()).await.ok();
    }
}

/// Ends when the flag is raised.
pub(crate) async fn raised(flag: &AtomicBool) {
    while !flag.load(Ordering::Relaxed) {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use traffic::plan::{Arrivals, ProxyProtocol, Tunnel};

    #[test]
    fn an_agent_loads_what_is_on_its_list_and_loopback_addresses() {
        let mut allowed = Allowed::default();
        for address in ["192.0.2.1:80", "192.0.2.2:*", "[2001:db8::1]:*", "localhost:80"] {
            allowed.add(address).unwrap();
        }
        assert!(allowed.add("192.0.2.3").is_err() && allowed.add("*").is_err());
        let permits = |address: &str| allowed.permits(&Target::Tcp(address.parse().unwrap()));
        let permitted = ["127.0.0.1:1", "[::1]:1", "192.0.2.1:80", "192.0.2.2:1234", "[2001:db8::1]:80"];
        assert!(permitted.into_iter().all(permits));
        assert!(!["192.0.2.1:81", "192.0.2.3:80", "[2001:db8::2]:80"].into_iter().any(permits));
        assert!(!allowed.permits(&Target::Unix("/run/server".into())));
        let behind_a_proxy = |host: &str| {
            let proxy = SocketAddr::from(([127, 0, 0, 1], 3128));
            let mut plan = Plan::new(proxy, Vec::new(), Arrivals::Closed { users: 1 });
            let (host, protocol) = (host.to_owned(), ProxyProtocol::Http);
            plan.tunnel = Some(Tunnel { protocol, host, port: 80, credentials: None });
            matches!(allowed.open(plan), Err(AgentRefusal::Target(_)))
        };
        assert!(behind_a_proxy("elsewhere.example") && behind_a_proxy("192.0.2.9"));
        assert!(!behind_a_proxy("LOCALHOST"), "a name that was allowed");
    }
}
