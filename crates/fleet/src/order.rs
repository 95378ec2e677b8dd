//! [`AgentOrder`]: what an agent has to know that prony starts. It is a line of the agent's standard input, so that its password is in no
//! argument and in no file.

use crate::agent::{Agent, Allowed};
use crate::creds::Creds;
use crate::error::Error;
use model::patience::Patience;
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

/// How long an agent may take to end before its process does.
const END: Duration = Duration::from_secs(4);
/// The longest order in bytes.
const LONGEST: u64 = 1 << 20;

/// What an agent has to know.
#[derive(Serialize, Deserialize)]
pub(crate) struct AgentOrder {
    /// Its id, which is also its user.
    pub(crate) id: String,
    pub(crate) password: String,
    /// Where the NATS server is.
    pub(crate) server: String,
    /// The certificate of the server, in PEM.
    pub(crate) ca: String,
    /// What it may load besides its own loopback.
    pub(crate) allow: Vec<String>,
    /// How long it and prony wait for each other.
    pub(crate) patience: Patience,
}

impl AgentOrder {
    pub(crate) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let mut line = serde_json::to_vec(self)?;
        line.push(b'\n');
        to.write_all(&line)
    }

    fn read(from: &mut impl BufRead) -> io::Result<Self> {
        let mut line = String::new();
        from.take(LONGEST).read_line(&mut line)?;
        Ok(serde_json::from_str(&line)?)
    }

    /// The agent that it describes; the certificate is written into the folder.
    fn agent(self, folder: &Path) -> io::Result<Agent> {
        let ca = folder.join("ca.pem");
        std::fs::write(&ca, self.ca)?;
        let mut allowed = Allowed::default();
        for address in &self.allow {
            allowed.add(address)?;
        }
        Ok(Agent {
            server: self.server,
            creds: Some(Creds {
                inbox: Some(format!("_INBOX_{}", self.id)),
                user: self.id.clone(),
                password: self.password,
                ca: Some(ca),
                nats_creds: None,
            }),
            id: self.id,
            allowed,
            once: false,
            patience: self.patience,
        })
    }
}

/// The main function of an agent that prony starts: it serves as standard input orders, until that ends or is silent for
/// too long. `folder` is for this agent alone.
///
/// # Errors
///
/// When there is no order on standard input, or the NATS server refuses the agent.
pub fn serve_as_ordered(folder: &Path) -> Result<(), Error> {
    let mut input = BufReader::new(io::stdin());
    let agent = AgentOrder::read(&mut input)?.agent(folder)?;
    let (tell, beats) = mpsc::channel();
    thread::spawn(move || {
        for _ in input.bytes().map_while(Result::ok) {
            tell.send(()).ok();
        }
    });
    let stop = Arc::new(AtomicBool::new(false));
    let (raised, folder) = (Arc::clone(&stop), folder.to_owned());
    let silence = agent.patience.orphaned();
    thread::spawn(move || end_after(&beats, silence, &raised, &folder));
    agent.serve(&stop, &mut |_| {})
}

/// Raises the flag when there was no sign of life for so long. If that does not end the process, removes its folder and ends it.
fn end_after(beats: &Receiver<()>, silence: Duration, stop: &AtomicBool, folder: &Path) {
    while beats.recv_timeout(silence).is_ok() {}
    stop.store(true, Ordering::Relaxed);
    thread::sleep(END);
    std::fs::remove_dir_all(folder).ok();
    std::process::exit(1);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_read_back_and_signs_of_life_are_none() {
        let order = AgentOrder {
            id: "agent-1".to_owned(),
            password: "p".to_owned(),
            server: "tls://192.0.2.1:4222".to_owned(),
            ca: "-----BEGIN\n".to_owned(),
            allow: vec!["192.0.2.1:*".to_owned()],
            patience: Patience::scaled(0.5).unwrap(),
        };
        let mut bytes = Vec::new();
        order.write(&mut bytes).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let agent = AgentOrder::read(&mut bytes.as_slice()).unwrap().agent(folder.path()).unwrap();
        let target = traffic::plan::Target::Tcp("192.0.2.1:80".parse().unwrap());
        assert!(agent.allowed.permits(&target) && agent.server == order.server);
        assert_eq!(agent.patience, order.patience);
        assert!(AgentOrder::read(&mut b"\n".as_slice()).is_err());
    }
}
