//! What the desk of a crew tells its agents: to join, to compare clocks, to open sessions and run slices, and to go.

use super::super::CrewEvent;
use super::super::members::Member;
use super::{CrewSpec, Desk};
use crate::coordinator::{LOOK, compare_clocks, demand};
use crate::error::{Error, Refusal};
use crate::frame::encode;
use crate::instant::{this_machine, this_network};
use crate::link::Link;
use crate::message::{Command, Hello, commands_of};
use futures_util::future::join_all;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Clocks are compared again after so long: two quartzes part by less than a millisecond in it.
const COMPARED: Duration = Duration::from_secs(10);
/// An agent that said hello so recently is there.
const FRESH: Duration = Duration::from_secs(2);
/// Between two attempts to tell an agent something.
const AGAIN: Duration = Duration::from_millis(100);

impl Desk {
    /// Waits until the connection to the server is up.
    pub(in crate::crew) async fn connected(&self) -> Result<(), Error> {
        while self.link.up_since().is_none() {
            self.check()?;
            tokio::time::sleep(AGAIN).await;
        }
        self.check()
    }

    /// Lets spare agents take the shares of lost ones, and compares clocks that were not compared for a while.
    pub(in crate::crew) async fn ready_members(&self) -> Result<(), Error> {
        self.connected().await?;
        if !self.spec.continues {
            self.replace_lost().await;
        }
        let due: Vec<(usize, String)> = {
            let state = self.state();
            let members = state.members.iter().enumerate();
            let due = members.filter(|(_, member)| !member.lost && member.compared.elapsed() >= COMPARED);
            due.map(|(index, member)| (index, member.id.clone())).collect()
        };
        let (link, run, agents) = (&self.link, &self.spec.run, self.spec.agents);
        let compared = join_all(due.iter().map(|(_, id)| compare_clocks(link, id, run, agents))).await;
        let mut state = self.state();
        for ((index, _), offset) in due.iter().zip(compared) {
            // Without an answer the last comparison holds; who does not answer at all is noticed elsewhere.
            if let Ok(offset) = offset {
                (state.members[*index].offset, state.members[*index].compared) = (offset, Instant::now());
            }
        }
        Ok(())
    }

    /// Whether every share has an agent, or fewer are enough. Waits a moment for replacements of lost agents.
    pub(in crate::crew) async fn is_whole(&self) -> bool {
        let began = Instant::now();
        while self.ready_members().await.is_ok() {
            if self.spec.continues || self.members().iter().all(|member| !member.lost) {
                return true;
            }
            if began.elapsed() >= self.spec.patience.replacement() {
                break;
            }
            tokio::time::sleep(AGAIN).await;
        }
        false
    }

    async fn replace_lost(&self) {
        let wanted: Vec<usize> = {
            let state = self.state();
            let all = 0..state.members.len();
            all.filter(|index| state.members[*index].lost).collect()
        };
        for index in wanted {
            let spare = {
                let mut state = self.state();
                state.spare.retain(|_, (_, heard)| heard.elapsed() <= FRESH);
                state.spare.pop_first()
            };
            let Some((by, (hello, _))) = spare else { return };
            // One that does not join is none; another may say hello later.
            let Ok(member) = join(&self.link, &self.spec, &hello).await else {
                continue;
            };
            let mut state = self.state();
            let mut member = member;
            member.generation = state.members[index].generation + 1;
            let former = std::mem::replace(&mut state.members[index], member);
            state.history.replaced.push(former.facts());
            let lost = former.id;
            (self.on_event)(CrewEvent::Replaced { lost, by });
        }
    }

    /// Tells members what to do, all at once. Lost members are left out. A member that does not answer is
    /// told again until it does, or is lost.
    pub(in crate::crew) async fn tell(
        &self,
        orders: Vec<(usize, Command)>,
    ) -> Vec<(usize, Result<(), Error>)> {
        join_all(orders.into_iter().map(|(index, command)| async move {
            let answer = self.tell_one(index, &command).await;
            (index, answer)
        }))
        .await
    }

    async fn tell_one(&self, index: usize, command: &Command) -> Result<(), Error> {
        loop {
            self.check()?;
            let member = self.members()[index].clone();
            if member.lost {
                return Ok(());
            }
            match demand(&self.link, &member.id, &self.spec.run, command).await {
                Err(Error::NoAnswer { .. }) => tokio::time::sleep(AGAIN).await,
                answer => return answer,
            }
        }
    }

    /// Tells members to run these slices. One that hears of them too late, or cannot, has not made them. Returns whether all heard of
    /// them in time.
    pub(in crate::crew) async fn send_slices(
        &self,
        orders: Vec<(usize, Command)>,
        numbers: &[u64],
    ) -> Result<bool, Error> {
        let mut in_time = true;
        for (index, answer) in self.tell(orders).await {
            let Err(error) = answer else { continue };
            let Error::Refused { agent, refusal } = error else {
                return Err(error);
            };
            in_time &= refusal != Refusal::TooLate;
            let mut state = self.state();
            if refusal == Refusal::Busy {
                // It has forgotten its sessions.
                self.lose(&mut state, index);
            }
            let pending = state.slices.iter_mut().filter(|(number, _)| numbers.contains(number));
            for (_, pending) in pending {
                pending.unmade.insert(agent.clone(), refusal.to_string());
            }
        }
        self.changed.notify_all();
        Ok(in_time)
    }

    /// Lets all agents go. One that does not hear of it goes by itself when nobody takes its deltas.
    pub(in crate::crew) async fn dismiss(&self) {
        self.leaving.store(true, Ordering::Relaxed);
        for member in self.members() {
            let frame = encode(&self.spec.run, &Command::Leave, &[]);
            let sent = self.link.client.publish(commands_of(&member.id), frame.into());
            sent.await.ok();
        }
        tokio::time::timeout(LOOK, self.link.client.flush()).await.ok();
        self.over.store(true, Ordering::Relaxed);
    }
}

/// Has an agent join, and compares its clock with ours.
pub(super) async fn join(link: &Link, spec: &CrewSpec, hello: &Hello) -> Result<Member, Error> {
    let join = Command::Join { run: spec.run.clone(), patience: spec.patience };
    demand(link, &hello.agent, "", &join).await?;
    let offset = compare_clocks(link, &hello.agent, &spec.run, spec.agents).await?;
    let is_here = hello.machine == this_machine();
    let shares_loopback = hello.network == this_network();
    let mut member = Member::new(hello.agent.clone(), is_here, offset);
    member.shares_loopback = shares_loopback;
    Ok(member)
}
