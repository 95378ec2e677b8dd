//! Agents whose credentials are a file as `nsc` makes it: a token that the account has signed, and the user's own key.

use crate::nats::NatsServer;
use crate::runs::{agent, plan, requests, run, target};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use fleet::{AgentEvent, Creds, Error};
use nkeys::KeyPair;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::mpsc;
use traffic::plan::Arrivals;

/// Returns the token of `subject`, signed by `issuer` (JWT version 2 of NATS).
fn token(issuer: &KeyPair, subject: &KeyPair, name: &str, claims: Value) -> String {
    let encoded = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let head = encoded(json!({ "typ": "JWT", "alg": "ed25519-nkey" }));
    let body = encoded(json!({
        "jti": name, "iat": 1_700_000_000, "iss": issuer.public_key(), "sub": subject.public_key(), "name": name, "nats": claims,
    }));
    let text = format!("{head}.{body}");
    let signature = issuer.sign(text.as_bytes()).expect("a private key");
    format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
}

/// An account of a server, which makes users.
struct Account {
    key: KeyPair,
    nats: NatsServer,
    folder: tempfile::TempDir,
}

impl Account {
    fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (operator, key) = (KeyPair::new_operator(), KeyPair::new_account());
        let no_limits = json!({
            "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1, "leaf": -1,
        });
        let claims = json!({ "type": "account", "version": 2, "limits": no_limits });
        let account = token(&operator, &key, "fleet", claims);
        let operator = token(&operator, &operator, "operator", json!({ "type": "operator", "version": 2 }));
        let config = format!(
            "operator: {operator}\nresolver: MEMORY\nresolver_preload: {{ {}: {account} }}\n",
            key.public_key()
        );
        let nats = NatsServer::with_config(folder.path(), &config);
        Self { key, nats, folder }
    }

    /// Writes the credentials of a user with these permissions; with `forged`, another account has signed the token.
    fn user(&self, name: &str, permissions: &Value, forged: bool) -> std::path::PathBuf {
        let user = KeyPair::new_user();
        let mut claims = json!({ "type": "user", "version": 2, "subs": -1, "data": -1, "payload": -1 });
        let fields = permissions.as_object().expect("an object").clone();
        claims.as_object_mut().expect("an object").extend(fields);
        let another = KeyPair::new_account();
        let issuer = if forged { &another } else { &self.key };
        let token = token(issuer, &user, name, claims);
        let seed = user.seed().expect("a private key");
        let text = format!(
            "-----BEGIN NATS USER JWT-----\n{token}\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n{seed}\n\
             ------END USER NKEY SEED------\n"
        );
        let path = self.folder.path().join(format!("{name}.creds"));
        write(&path, &text);
        path
    }
}

fn write(path: &Path, text: &str) {
    std::fs::write(path, text).expect("a file");
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).expect("a mode");
}

/// What an agent needs, as in docs/guide/fleet.md.
fn permissions(id: &str) -> Value {
    json!({
        "pub": { "allow": ["prony.hello", format!("prony.d.{id}")] },
        "sub": { "allow": [format!("prony.cmd.{id}"), format!("_INBOX_{id}.>")] },
        "resp": { "max": 1, "ttl": 0 },
    })
}

#[test]
fn users_of_an_account_make_a_load() {
    let (account, target) = (Account::start(), target());
    let url = account.nats.url();
    // The file of `nsc` has no place for the inbox, so one of prony's names it.
    let creds = account.user("m1", &permissions("m1"), false);
    let path = account.folder.path().join("m1.toml");
    write(&path, &format!("nats_creds = \"{}\"\ninbox = \"_INBOX_m1\"\n", creds.display()));
    let agent = agent(&url, "m1", Some(Creds::read(&path).expect("credentials")));
    let coordinator = Creds::read(&account.user("coord", &json!({}), false)).expect("credentials");
    assert!(!format!("{coordinator:?}").contains("SEED"), "it is not shown");
    let (started, _starts) = mpsc::channel();
    let mut plan = plan(&target.address().to_string(), Arrivals::Closed { users: 2 });
    plan.limit = Some(100);
    let run = run(&url, Some(coordinator), 1, &plan, 30, &started);
    assert_eq!(requests(&run.outcome.expect("a result")), 100);
    assert!(agent.end().contains(&AgentEvent::Finished));
}

#[test]
fn a_user_of_another_account_ends_an_agent() {
    let account = Account::start();
    let creds = Creds::read(&account.user("m1", &permissions("m1"), true)).expect("credentials");
    let agent = agent(&account.nats.url(), "m1", Some(creds));
    let ended = agent.thread.join().expect("no panic");
    assert!(matches!(ended, Err(Error::NotAuthorized { .. })), "{ended:?}");
}
