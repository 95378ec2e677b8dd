//! [`Crew`]: agents that make the loads of an experiment together. It is a [`Generator`], so callers ask it
//! as they ask the event loops of their own process.

mod desk;
mod members;
mod schedule;
mod session;

use crate::coordinator::FleetEvent;
use crate::creds::Creds;
use crate::error::Error;
use crate::message::Command;
use crate::shares::share;
use desk::Desk;
use load::{Announced, FleetStatus, Generator, LoadSession};
use model::patience::Patience;
use say::Say;
use schedule::Schedule;
use session::CrewSession;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;
use traffic::load_note::LoadNote;
use traffic::plan::Plan;

/// What a crew is gathered for.
#[derive(Clone, Debug)]
pub struct CrewSpec {
    /// Where the NATS server is.
    pub server: String,
    /// Who the coordinator is for the server.
    pub creds: Option<Creds>,
    /// How many agents make the loads.
    pub agents: usize,
    /// The id of the run.
    pub run: String,
    /// Whether the other agents' loads count when an agent was lost.
    pub continues: bool,
    /// How long the coordinator and the agents wait for each other.
    pub patience: Patience,
}

/// What happens to a crew, for the screen.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum CrewEvent {
    /// Another agent has said hello.
    #[say(transparent = FleetEvent::Gathered { found: *found, wanted: *wanted })]
    Gathered {
        /// How many agents there are.
        found: usize,
        /// How many agents are wanted.
        wanted: usize,
    },
    /// Nothing came from an agent for a while.
    #[say(transparent = FleetEvent::Silent(_0))]
    Silent(String),
    /// Something came from it again.
    #[say(transparent = FleetEvent::Back(_0))]
    Back(String),
    /// An agent was given up.
    #[say(en = "agent {0} is lost", zh = "压测机 {0} 已失联")]
    Lost(String),
    /// Another agent has taken the share of a lost one.
    #[say(
        en = "agent {by} has the share of {lost} from now on",
        zh = "压测机 {by} 从现在起接替 {lost} 的份额"
    )]
    Replaced {
        /// The lost agent.
        lost: String,
        /// The one that has its share now.
        by: String,
    },
    /// The connection to the server is down; meanwhile no agent counts as silent.
    #[say(transparent = FleetEvent::ServerLost)]
    ServerLost,
}

/// Receives the events of a crew, from a thread of its own.
pub type OnEvent = Box<dyn Fn(CrewEvent) + Send + Sync>;

/// Agents that make the loads of an experiment together. They are dismissed with the last copy of this value.
#[derive(Clone, Debug)]
pub struct Crew(Arc<Core>);

/// What all sessions of a crew share.
struct Core {
    desk: Arc<Desk>,
    runtime: tokio::runtime::Handle,
    /// The thread that takes what agents send.
    thread: Option<JoinHandle<()>>,
    sessions: AtomicU64,
    slices: AtomicU64,
    schedule: Mutex<Schedule>,
}

impl std::fmt::Debug for Core {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Core").field("status", &self.desk.status()).finish()
    }
}

impl Crew {
    /// Awaits the agents, and has them join the experiment.
    ///
    /// # Errors
    ///
    /// An [`Error`] when the server cannot be used, or when there are too few agents before `stop` is raised or half a minute is over.
    pub fn gather(spec: CrewSpec, stop: &Arc<AtomicBool>, on_event: OnEvent) -> Result<Self, Error> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (gathered, first) = mpsc::channel();
        let stop = Arc::clone(stop);
        let thread = std::thread::spawn(move || {
            runtime.block_on(async {
                match Desk::gather(spec, &stop, on_event).await {
                    Ok((desk, inbox)) => {
                        let desk = Arc::new(desk);
                        gathered.send(Ok(Arc::clone(&desk))).ok();
                        desk.serve(inbox).await;
                    }
                    Err(error) => {
                        gathered.send(Err(error)).ok();
                    }
                }
            });
        });
        let desk = first.recv().expect("the thread reports what it has")?;
        Ok(Self(Arc::new(Core {
            desk,
            runtime: handle,
            thread: Some(thread),
            sessions: AtomicU64::new(1),
            slices: AtomicU64::new(1),
            schedule: Mutex::default(),
        })))
    }

    /// Checks that all agents reach these targets (`HOST:PORT`, or `HOST:*`): one at the loopback of this machine is out of reach for
    /// agents elsewhere.
    ///
    /// # Errors
    ///
    /// [`Error::OnlyLoopback`] names the first agent and target.
    pub fn check_reach(&self, targets: &[String]) -> Result<(), Error> {
        let is_loopback = |target: &&String| {
            let host = target.rsplit_once(':').map_or("", |(host, _)| host);
            let address = host.trim_matches(['[', ']']).parse();
            address.is_ok_and(|address: IpAddr| address.is_loopback())
        };
        let members = self.0.desk.members();
        let far = members.into_iter().find(|member| !member.shares_loopback);
        match (far, targets.iter().find(is_loopback)) {
            (Some(member), Some(target)) => {
                Err(Error::OnlyLoopback { agent: member.id, target: target.clone() })
            }
            _ => Ok(()),
        }
    }
}

impl Core {
    /// Runs a future on the thread of the crew, and returns what it gives.
    fn wait<T: Send + 'static>(&self, future: impl Future<Output = T> + Send + 'static) -> T {
        let (sender, receiver) = mpsc::channel();
        self.runtime.spawn(async move {
            sender.send(future.await).ok();
        });
        receiver.recv().expect("the thread of the crew runs")
    }

    fn schedule(&self) -> std::sync::MutexGuard<'_, Schedule> {
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the members with shares of this plan open them. A plan with fewer connections than there are agents has fewer shares.
    fn open_shares(&self, id: u64, plan: &Plan) -> Result<Vec<usize>, Error> {
        let desk = Arc::clone(&self.desk);
        self.wait(async move { desk.ready_members().await })?;
        let members = self.desk.members();
        let of = members.len().min(plan.connections()).max(1);
        let mut orders = Vec::new();
        for (index, member) in members.iter().enumerate().take(of) {
            let mut plan = share(plan, index as u64, of as u64)?;
            if !member.is_here {
                // These are CPUs of this machine.
                plan.cpus.clear();
            }
            let plan = Box::new(plan);
            orders.push((index, Command::Open { session: id, plan }));
        }
        let desk = Arc::clone(&self.desk);
        let opened = self.wait(async move { desk.tell(orders).await });
        opened.into_iter().try_for_each(|(_, answer)| answer)?;
        let shares: Vec<usize> = (0..of).collect();
        self.desk.register(id, &shares);
        Ok(shares)
    }
}

impl Generator for Crew {
    fn open(&self, plan: Plan) -> Result<Box<dyn LoadSession>, load::Error> {
        let id = self.0.sessions.fetch_add(1, Ordering::Relaxed);
        let members = self.0.open_shares(id, &plan).map_err(elsewhere)?;
        Ok(Box::new(CrewSession::new(Arc::clone(&self.0), id, members)))
    }

    fn announce(&self, slices: &[Announced]) -> Result<(), load::Error> {
        session::announce(&self.0, slices).map_err(elsewhere)
    }

    fn fleet_status(&self) -> Option<FleetStatus> {
        Some(self.0.desk.status())
    }

    fn is_whole(&self) -> bool {
        let desk = Arc::clone(&self.0.desk);
        self.0.wait(async move { desk.is_whole().await })
    }

    fn notes(&self) -> Vec<LoadNote> {
        self.0.desk.notes()
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        let desk = Arc::clone(&self.desk);
        self.wait(async move { desk.dismiss().await });
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

/// Wraps an error for callers that do not know of fleets.
fn elsewhere(error: Error) -> load::Error {
    load::Error::Elsewhere(Box::new(error))
}
