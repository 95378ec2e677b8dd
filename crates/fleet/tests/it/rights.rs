//! Encryption and the permissions of docs/guide/fleet.md, which are read from there, on the real server.

use crate::nats::NatsServer;
use crate::runs::{agent, patience, plan, requests, run, run_with, target};
use async_nats::{Client, ConnectOptions, Event};
use fleet::{AgentEvent, Creds, Error};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;
use traffic::plan::Arrivals;

const GUIDE: &str = include_str!("../../../../docs/guide/fleet.md");
/// The passwords by user.
const USERS: [(&str, &str); 3] = [("coord", "c0"), ("m1", "p1"), ("m2", "p2")];

/// A server with the configuration of the guide.
struct Site {
    folder: tempfile::TempDir,
    nats: NatsServer,
}

impl Site {
    fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("a certificate");
        let path = |name: &str| folder.path().join(name).display().to_string();
        std::fs::write(path("server.pem"), made.cert.pem()).expect("a file");
        std::fs::write(path("server.key"), made.signing_key.serialize_pem()).expect("a file");
        let config = config().replace("server.pem", &path("server.pem"));
        let config = config.replace("server.key", &path("server.key"));
        let nats = NatsServer::with_config(folder.path(), &config);
        Self { folder, nats }
    }

    /// Writes the file of credentials of a user as the guide shows it, and reads it.
    fn creds(&self, user: &str) -> Creds {
        let block = block_with("inbox = ");
        let (_, password) = USERS.iter().find(|(name, _)| *name == user).expect("a user");
        let ca = self.folder.path().join("server.pem").display().to_string();
        let mut text = block.replace("m1", user).replace('…', password);
        text = text.replace("/etc/prony/ca.pem", &ca);
        let path = self.folder.path().join(format!("{user}.toml"));
        std::fs::write(&path, text).expect("a file");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("a mode");
        Creds::read(&path).expect("credentials")
    }

    fn ca(&self) -> std::path::PathBuf {
        self.folder.path().join("server.pem")
    }
}

/// The block of the guide that contains a text.
fn block_with(text: &str) -> &'static str {
    let mut blocks = GUIDE.split("```").skip(1).step_by(2);
    blocks.find(|block| block.contains(text)).expect("a block")
}

/// The server's configuration of the guide, with a free port and a second agent.
fn config() -> String {
    let block = block_with("authorization {");
    let begin = block.find("  { user: m1").expect("an agent's user");
    let end = begin + block[begin..].find("] }\n").expect("its end");
    let agent = &block[begin..end];
    let second = agent.replace("m1", "m2");
    let with_passwords = |text: &str, number: usize| text.replace('…', USERS[number].1);
    let (before, after) = (&block[..begin], &block[end..]);
    let [before, agent, second] =
        [(before, 0), (agent, 1), (&second, 2)].map(|(text, number)| with_passwords(text, number));
    format!("{before}{agent}\n{second}{after}").replace("listen: 0.0.0.0:4222", "")
}

#[test]
fn agents_with_users_of_their_own_make_a_load_over_tls() {
    let (site, target) = (Site::start(), target());
    let agents = ["m1", "m2"].map(|id| agent(&site.nats.url(), id, Some(site.creds(id))));
    let (started, _starts) = mpsc::channel();
    let mut plan = plan(&target.address().to_string(), Arrivals::Closed { users: 4 });
    plan.limit = Some(400);
    let run = run(&site.nats.url(), Some(site.creds("coord")), 2, &plan, 30, &started);
    assert_eq!(requests(&run.outcome.expect("a result")), 400);
    for agent in agents {
        assert!(agent.end().contains(&AgentEvent::Finished));
    }
}

#[test]
fn an_agent_with_the_name_of_another_is_refused() {
    let site = Site::start();
    let agent = agent(&site.nats.url(), "m2", Some(site.creds("m1")));
    let ended = agent.thread.join().expect("no panic");
    assert!(matches!(ended, Err(Error::NotPermitted { .. })), "{ended:?}");
}

#[test]
fn a_connection_without_encryption_is_refused() {
    let site = Site::start();
    let creds = Creds { ca: None, ..site.creds("coord") };
    let (started, _starts) = mpsc::channel();
    let plan = plan("127.0.0.1:1", Arrivals::Closed { users: 2 });
    let url = site.nats.url();
    let outcome = run_with(patience(0.25), &url, Some(creds), 1, &plan, 1, &started).outcome;
    assert!(matches!(outcome, Err(Error::NoServer { .. })), "{outcome:?}");
}

/// What a user tries: to publish to a subject, or to listen to it.
#[derive(Clone, Copy, Debug)]
enum Attempt {
    Publish(&'static str),
    Listen(&'static str),
}

#[test]
fn what_belongs_to_others_is_refused() {
    let site = Site::start();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        // What an agent needs is permitted, so that a server that refuses everything does not pass.
        for attempt in [
            Attempt::Publish("prony.hello"),
            Attempt::Publish("prony.d.m1"),
            Attempt::Listen("prony.cmd.m1"),
            Attempt::Listen("_INBOX_m1.7"),
        ] {
            assert_eq!(refusal(&site.nats.url(), &site.ca(), attempt).await, None, "{attempt:?}");
        }
        for attempt in [
            Attempt::Publish("prony.d.m2"),
            Attempt::Publish("prony.cmd.m2"),
            Attempt::Publish("prony.cmd.m1"),
            Attempt::Publish("_INBOX_m2.7"),
            Attempt::Listen("prony.cmd.m2"),
            Attempt::Listen("prony.cmd.*"),
            Attempt::Listen("prony.d.m2"),
            Attempt::Listen("prony.d.*"),
            Attempt::Listen("prony.hello"),
            Attempt::Listen("_INBOX_m2.>"),
            Attempt::Listen(">"),
        ] {
            let refusal = refusal(&site.nats.url(), &site.ca(), attempt).await;
            let said = refusal.unwrap_or_default().to_lowercase();
            assert!(said.contains("permissions violation"), "{attempt:?}: {said}");
        }
    });
}

/// What the server says when the user m1 tries something; `None` when it permits it.
async fn refusal(url: &str, ca: &Path, attempt: Attempt) -> Option<String> {
    let (sender, mut events) = tokio::sync::mpsc::unbounded_channel();
    let options = ConnectOptions::with_user_and_password("m1".to_owned(), "p1".to_owned())
        .add_root_certificates(ca.to_owned())
        .require_tls(true)
        .event_callback(move |event| {
            sender.send(event).ok();
            std::future::ready(())
        });
    let client: Client = options.connect(url).await.expect("a connection");
    match attempt {
        Attempt::Publish(subject) => client.publish(subject, "x".into()).await.expect("sent"),
        Attempt::Listen(subject) => drop(client.subscribe(subject).await.expect("sent")),
    }
    // The server answers in order: what it has to say about this came before its answer to a ping.
    client.flush().await.expect("an answer");
    while let Ok(Some(event)) = tokio::time::timeout(Duration::from_millis(200), events.recv()).await {
        if let Event::ServerError(error) = event {
            return Some(error.to_string());
        }
    }
    None
}
