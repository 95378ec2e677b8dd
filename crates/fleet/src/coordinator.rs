//! [`run`]: the coordinator divides a plan among agents, starts them together, and collects what they measure.

use crate::clock::{ClockReading, Offset};
use crate::creds::Creds;
use crate::error::{Error, Refusal};
use crate::frame::{Refused, RefusedCounts, VERSION, decode, encode};
use crate::instant::wall_now;
use crate::ledger::{AgentResult, Ledger};
use crate::link::Link;
use crate::message::{Answer, Command, Delta, HELLO, Hello, Stored, commands_of, deltas_of, echo_of, is_id};
use crate::parts::{MAX_COMMAND, messages};
use crate::resume::beginning;
use crate::share_result::spread;
use crate::shares::share;
use crate::store::ResultFile;
use async_nats::{Message, Subscriber};
use futures_util::future::join_all;
use futures_util::{FutureExt, StreamExt};
use load::{Interval, Window};
use model::patience::Patience;
use say::Say;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};
use traffic::plan::Plan;

/// How long agents are awaited.
const GATHER: Duration = Duration::from_secs(30);
/// How long an answer to a command is awaited.
const ANSWER: Duration = Duration::from_secs(3);
/// Between two looks at who is silent.
pub(crate) const LOOK: Duration = Duration::from_millis(100);
/// Between two requests for what agents kept, in looks.
const ASK_AGAIN: u32 = 10;
/// How long our own message may take to come back to us.
pub(crate) const ECHO: Duration = Duration::from_millis(500);
/// Above so many agents, fewer clock readings are taken of each.
const MANY: usize = 20;

/// What a fleet is asked to do.
#[derive(Clone, Debug)]
pub struct Fleet {
    /// Where the NATS server is.
    pub server: String,
    /// Who the coordinator is for the server.
    pub creds: Option<Creds>,
    /// How many agents make the load.
    pub agents: usize,
    /// The id of the run.
    pub run: String,
    /// The file for what the agents send; it must not exist.
    pub file: PathBuf,
    /// How long coordinator and agents wait for each other.
    pub patience: Patience,
}

/// What happens while a fleet makes a load.
#[derive(Debug, Say)]
pub enum FleetEvent<'a> {
    /// Another agent has said hello.
    #[say(en = "agents: {found} of {wanted} are there", zh = "压测机：{found}/{wanted} 已就绪")]
    Gathered {
        /// How many agents there are.
        found: usize,
        /// How many agents are wanted.
        wanted: usize,
    },
    /// All agents were told when to begin.
    #[say(en = "all agents start together", zh = "所有压测机同时开始")]
    Starts {
        /// When, by the wall clock of this machine.
        at: SystemTime,
    },
    /// A second of one event loop of an agent.
    #[say(en = "", zh = "")]
    Second(&'a Interval),
    /// Nothing came from an agent for a while.
    #[say(
        en = "agent {0} is silent for 3 s; its share may be lost",
        zh = "压测机 {0} 已 3 秒无消息，其份额可能丢失"
    )]
    Silent(&'a str),
    /// Something came from it again.
    #[say(en = "agent {0} is back", zh = "压测机 {0} 已恢复")]
    Back(&'a str),
    /// The coordinator's own connection to the server is down; meanwhile no agent counts as silent.
    #[say(
        en = "the NATS server is lost; agents go on loading",
        zh = "与 NATS 服务器断开，压测机继续施加负载"
    )]
    ServerLost,
}

/// What a fleet did.
#[derive(Debug)]
pub struct Outcome {
    /// Every agent with its clock, in the order of the shares.
    pub agents: Vec<(AgentResult, Offset)>,
    /// Messages that were refused.
    pub refused: RefusedCounts,
    /// Between the first and the last agent's begin, nanoseconds, in the coordinator's clock; `None` when none began.
    pub start_spread: Option<u64>,
}

/// An agent as the coordinator sees it.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) id: String,
    pub(crate) offset: Offset,
    pub(crate) heard: Instant,
    pub(crate) silent: bool,
}

/// The coordinator while agents load.
pub(crate) struct Collector<'a> {
    pub(crate) fleet: &'a Fleet,
    pub(crate) link: &'a Link,
    pub(crate) members: Vec<Member>,
    pub(crate) ledger: Ledger,
    pub(crate) file: ResultFile,
    pub(crate) refused: RefusedCounts,
    /// Since when our own connection is down.
    pub(crate) down_since: Option<Instant>,
    /// Whether another coordinator began the load, so that agents may have ended it and have to be asked for what they kept.
    pub(crate) resumes: bool,
}

/// Runs a plan on a fleet. When `stop` is raised, all agents end their loads and send what they have.
///
/// # Errors
///
/// An [`Error`] when the load cannot begin, or when what the agents send cannot be kept.
pub fn run(
    fleet: &Fleet,
    plan: &Plan,
    window: Window,
    stop: &Arc<AtomicBool>,
    on_event: &mut dyn FnMut(FleetEvent<'_>),
) -> Result<Outcome, Error> {
    // The first and the last share tell whether all can be made, before anybody is asked.
    for index in [0, fleet.agents as u64 - 1] {
        share(plan, index, fleet.agents as u64)?;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let link = connect(&fleet.server, fleet.creds.as_ref(), fleet.patience).await?;
        let deltas = subscribe(&link, deltas_of("*")).await?;
        let echoes = subscribe(&link, echo_of(&fleet.run)).await?;
        let mut refused = RefusedCounts::default();
        let hellos = gather(fleet.agents, &link, &mut refused, stop, on_event).await?;
        let mut members = Vec::new();
        for Hello { agent, .. } in hellos {
            members.push(prepare(fleet, &link, agent, plan, window, members.len() as u64).await?);
        }
        let at = SystemTime::now() + fleet.patience.lead();
        let mut file = ResultFile::create(&fleet.file)?;
        file.add(&beginning(&fleet.run, plan, window, at, &members))?;
        start(fleet, &link, &mut members).await?;
        on_event(FleetEvent::Starts { at });
        let ids: Vec<String> = members.iter().map(|member| member.id.clone()).collect();
        let collector = Collector {
            fleet,
            link: &link,
            members,
            ledger: Ledger::new(&ids),
            file,
            refused,
            down_since: None,
            resumes: false,
        };
        collector.collect(deltas, echoes, stop, on_event).await
    })
}

/// Connects a coordinator to the NATS server.
pub(crate) async fn connect(server: &str, creds: Option<&Creds>, patience: Patience) -> Result<Link, Error> {
    Link::connect(server, creds, patience, Some(patience.connecting())).await
}

pub(crate) async fn subscribe(link: &Link, subject: String) -> Result<Subscriber, Error> {
    let subscribed = link.client.subscribe(subject).await;
    subscribed.map_err(|error| Error::NotPermitted { said: error.to_string() })
}

/// Awaits as many agents as are wanted, and returns what they said, in the order of their ids.
pub(crate) async fn gather(
    wanted: usize,
    link: &Link,
    refused: &mut RefusedCounts,
    stop: &AtomicBool,
    on_event: &mut dyn FnMut(FleetEvent<'_>),
) -> Result<Vec<Hello>, Error> {
    let mut hellos = subscribe(link, HELLO.to_owned()).await?;
    let mut found = BTreeMap::new();
    let until = Instant::now() + GATHER;
    while found.len() < wanted {
        link.check()?;
        if Instant::now() >= until || stop.load(Ordering::Relaxed) {
            return Err(Error::TooFewAgents { found: found.len(), wanted, seconds: GATHER.as_secs() });
        }
        let Ok(Some(message)) = tokio::time::timeout(LOOK, hellos.next()).await else {
            continue;
        };
        match decode::<Hello>("", &message.payload) {
            Ok((hello, _)) if is_id(&hello.agent) => {
                if found.insert(hello.agent.clone(), hello).is_none() {
                    let found = found.len();
                    on_event(FleetEvent::Gathered { found, wanted });
                }
            }
            Ok(_) => refused.add(Refused::Garbage),
            // An agent that cannot take part is better named than awaited.
            Err(Refused::Version(theirs)) => {
                return Err(Error::OtherVersion { theirs, ours: VERSION });
            }
            Err(why) => refused.add(why),
        }
    }
    Ok(found.into_values().collect())
}

/// Compares an agent's clock with ours, and gives it its share.
async fn prepare(
    fleet: &Fleet,
    link: &Link,
    id: String,
    plan: &Plan,
    window: Window,
    index: u64,
) -> Result<Member, Error> {
    let offset = compare_clocks(link, &id, "", fleet.agents).await?;
    let share = Command::Prepare {
        plan: Box::new(share(plan, index, fleet.agents as u64)?),
        window,
        run: fleet.run.clone(),
        patience: fleet.patience,
    };
    demand(link, &id, "", &share).await?;
    Ok(Member { id, offset, heard: Instant::now(), silent: false })
}

/// Compares the clock of one of so many agents with ours; `run` is empty before it belongs to one.
pub(crate) async fn compare_clocks(link: &Link, id: &str, run: &str, agents: usize) -> Result<Offset, Error> {
    let mut readings = Vec::new();
    for _ in 0..if agents > MANY { 3 } else { 8 } {
        let asked = wall_now();
        if let Answer::Clock { received, answered } = ask(link, id, run, &Command::Clock).await? {
            readings.push(ClockReading { asked, received, answered, seen: wall_now() });
        }
    }
    Offset::best(&readings).ok_or_else(|| Error::NoAnswer { agent: id.to_owned() })
}

/// Tells every agent when to begin, by its own clock; ends all when one does not.
async fn start(fleet: &Fleet, link: &Link, members: &mut [Member]) -> Result<(), Error> {
    let lead = fleet.patience.lead().as_nanos();
    let at = wall_now() + i64::try_from(lead).unwrap_or(i64::MAX);
    // All at once, so that an agent that answers late does not make the next ones late, too.
    let told = members.iter().map(async |member| {
        let start = Command::Start { at: member.offset.there(at) };
        demand(link, &member.id, &fleet.run, &start).await
    });
    if let Some(error) = join_all(told).await.into_iter().find_map(Result::err) {
        stop_all(fleet, link, members).await;
        return Err(error);
    }
    members.iter_mut().for_each(|member| member.heard = Instant::now());
    Ok(())
}

/// Asks all agents to end. One that does not get it ends by itself when nobody takes its deltas. While the server is lost, messages
/// wait for it, so no more than [`ECHO`] is spent on them.
async fn stop_all(fleet: &Fleet, link: &Link, members: &[Member]) {
    let told = async {
        for member in members {
            let frame = encode(&fleet.run, &Command::Stop, &[]);
            let sent = link.client.publish(commands_of(&member.id), frame.into());
            sent.await.ok();
        }
        link.client.flush().await.ok();
    };
    tokio::time::timeout(ECHO, told).await.ok();
}

/// Returns an agent's answer to a command, which goes in parts if it is long.
pub(crate) async fn ask(link: &Link, id: &str, run: &str, command: &Command) -> Result<Answer, Error> {
    let frame = encode(run, command, &[]);
    if frame.len() > MAX_COMMAND {
        return Err(Error::PlanTooLarge { bytes: frame.len(), limit: MAX_COMMAND });
    }
    let mut answer = Answer::Done;
    for message in messages(frame) {
        answer = exchange(link, id, message).await?;
        if matches!(answer, Answer::Refused(_)) {
            break;
        }
    }
    Ok(answer)
}

/// Returns an agent's answer to a message.
async fn exchange(link: &Link, id: &str, frame: Vec<u8>) -> Result<Answer, Error> {
    let no_answer = || Error::NoAnswer { agent: id.to_owned() };
    let asked = link.client.request(commands_of(id), frame.into());
    let reply = tokio::time::timeout(ANSWER, asked).await;
    let reply = reply.map_err(|_| no_answer())?.map_err(|_| no_answer())?;
    let (answer, _) = decode::<Answer>("", &reply.payload).map_err(|refused| match refused {
        Refused::Version(theirs) => Error::OtherVersion { theirs, ours: VERSION },
        _ => no_answer(),
    })?;
    Ok(answer)
}

/// Like [`ask`], and fails when the agent refuses.
pub(crate) async fn demand(link: &Link, id: &str, run: &str, command: &Command) -> Result<(), Error> {
    let Answer::Refused(refusal) = ask(link, id, run, command).await? else {
        return Ok(());
    };
    let refusal = Refusal::from(refusal);
    let agent = id.to_owned();
    Err(Error::Refused { agent, refusal })
}

impl Collector<'_> {
    /// Takes deltas until everything is here, or nothing more can be expected.
    pub(crate) async fn collect(
        mut self,
        mut deltas: Subscriber,
        mut echoes: Subscriber,
        stop: &AtomicBool,
        on_event: &mut dyn FnMut(FleetEvent<'_>),
    ) -> Result<Outcome, Error> {
        let mut looks = tokio::time::interval(LOOK);
        let (mut asked_to_stop, mut looked) = (false, 0_u32);
        while !self.ledger.is_whole() {
            tokio::select! {
                message = deltas.next() => match message {
                    Some(message) => self.take(&message, on_event).await?,
                    None => break,
                },
                _ = looks.tick() => {
                    self.link.check()?;
                    if self.resumes && looked.is_multiple_of(ASK_AGAIN) && self.link.up_since().is_some() {
                        self.ask_for_kept().await;
                    }
                    looked = looked.wrapping_add(1);
                    if stop.load(Ordering::Relaxed) && !asked_to_stop {
                        asked_to_stop = true;
                        stop_all(self.fleet, self.link, &self.members).await;
                    }
                    if self.all_given_up(&mut echoes, on_event).await {
                        break;
                    }
                }
            }
        }
        self.acknowledge_rest(&mut deltas, on_event).await?;
        Ok(self.outcome())
    }

    /// Asks agents that have ended their loads for what they kept. It needs no answer: their deltas come, or do not.
    async fn ask_for_kept(&self) {
        for member in &self.members {
            if !self.ledger.is_complete(&member.id) {
                let frame = encode(&self.fleet.run, &Command::Resume, &[]);
                let sent = self.link.client.publish(commands_of(&member.id), frame.into());
                sent.await.ok();
            }
        }
    }

    /// Sends the last acknowledgements. An agent that waited too long for one has sent its delta again, and would call us lost if
    /// it got no answer. While the server is lost, there is nobody to answer.
    async fn acknowledge_rest(
        &mut self,
        deltas: &mut Subscriber,
        on_event: &mut dyn FnMut(FleetEvent<'_>),
    ) -> Result<(), Error> {
        // What the server had for us before it answers this is here then.
        tokio::time::timeout(ECHO, self.link.client.flush()).await.ok();
        let until = Instant::now() + ECHO;
        while let Some(Some(message)) = deltas.next().now_or_never() {
            self.take(&message, on_event).await?;
            if Instant::now() >= until {
                break;
            }
        }
        tokio::time::timeout(ECHO, self.link.client.flush()).await.ok();
        Ok(())
    }

    /// Stores a delta, and then acknowledges it.
    async fn take(
        &mut self,
        message: &Message,
        on_event: &mut dyn FnMut(FleetEvent<'_>),
    ) -> Result<(), Error> {
        let (delta, parts) = match decode::<Delta>(&self.fleet.run, &message.payload) {
            Ok(frame) => frame,
            Err(refused) => {
                self.refused.add(refused);
                return Ok(());
            }
        };
        // Rights of the server concern subjects, so an agent can send for no other one.
        let is_its_own = *message.subject == *deltas_of(&delta.agent);
        let added = if is_its_own { self.ledger.add(&delta, &parts) } else { Err(Refused::Replayed) };
        match added {
            Ok(true) => {
                self.file.add(&message.payload)?;
                let mut parts = parts.into_iter();
                for wire in &delta.intervals {
                    if let Ok(interval) = wire.read(&mut parts) {
                        on_event(FleetEvent::Second(&interval));
                    }
                }
            }
            Ok(false) => {}
            Err(refused) => {
                self.refused.add(refused);
                return Ok(());
            }
        }
        let member = self.members.iter_mut().find(|member| member.id == delta.agent);
        if let Some(member) = member {
            member.heard = Instant::now();
            if std::mem::take(&mut member.silent) {
                on_event(FleetEvent::Back(&member.id));
            }
        }
        if let Some(reply) = &message.reply {
            let stored = encode(&self.fleet.run, &Stored { seq: delta.seq }, &[]);
            // An acknowledgement that does not arrive is asked for again.
            self.link.client.publish(reply.clone(), stored.into()).await.ok();
        }
        Ok(())
    }

    /// Tells who is silent; returns whether every agent whose deltas are missing has been silent for too long. Nobody is called
    /// silent while our own connection is down or does not bring our own message back.
    async fn all_given_up(
        &mut self,
        echoes: &mut Subscriber,
        on_event: &mut dyn FnMut(FleetEvent<'_>),
    ) -> bool {
        let patience = self.fleet.patience;
        let Some(up_since) = self.link.up_since() else {
            if self.down_since.is_none() {
                on_event(FleetEvent::ServerLost);
            }
            let since = self.down_since.get_or_insert_with(Instant::now);
            return since.elapsed() >= patience.server_given_up();
        };
        self.down_since = None;
        let ledger = &self.ledger;
        let silence = |member: &Member| member.heard.max(up_since).elapsed();
        let is_missing = |member: &&mut Member| !ledger.is_complete(&member.id);
        let newly = |member: &Member| !member.silent && silence(member) >= patience.silent();
        let is_new = self.members.iter_mut().filter(is_missing).any(|member| newly(member));
        if is_new && !echoes_back(self.link, &self.fleet.run, echoes).await {
            return false;
        }
        for member in self.members.iter_mut().filter(is_missing) {
            if newly(member) {
                member.silent = true;
                on_event(FleetEvent::Silent(&member.id));
            }
        }
        let given_up = |member: &mut Member| silence(member) >= patience.given_up();
        self.members.iter_mut().filter(is_missing).all(given_up)
    }

    fn outcome(self) -> Outcome {
        let results = self.ledger.results();
        let offsets = self.members.iter().map(|member| member.offset);
        let agents: Vec<(AgentResult, Offset)> = results.into_iter().zip(offsets).collect();
        let begins = agents.iter().filter_map(|(result, offset)| result.began(*offset));
        Outcome { start_spread: spread(begins), agents, refused: self.refused }
    }
}

/// Whether a message that we send comes back to us: our own connection works now.
pub(crate) async fn echoes_back(link: &Link, run: &str, echoes: &mut Subscriber) -> bool {
    let subject = echo_of(run);
    let sent = link.client.publish(subject, Vec::new().into()).await.is_ok();
    sent && matches!(tokio::time::timeout(ECHO, echoes.next()).await, Ok(Some(_)))
}
