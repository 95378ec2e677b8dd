//! [`Link`]: the connection of this machine to the NATS server, and whether it is up.

use crate::creds::Creds;
use crate::error::Error;
use async_nats::{Client, ClientError, ConnectErrorKind, ConnectOptions, Event, ServerError};
use model::patience::Patience;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Between two attempts to connect again.
const RETRY: Duration = Duration::from_millis(100);

/// A connection that is made again whenever it is lost.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) client: Client,
    state: Arc<Mutex<LinkState>>,
}

/// What the client reported last.
#[derive(Debug)]
struct LinkState {
    /// Since when the connection is up; `None` while it is down.
    up_since: Option<Instant>,
    /// What the server said when it refused something.
    refused: Option<String>,
}

impl Link {
    /// Connects. Other failures than refused credentials are tried again for so long; `None` is for ever.
    pub(crate) async fn connect(
        server: &str,
        creds: Option<&Creds>,
        patience: Patience,
        within: Option<Duration>,
    ) -> Result<Self, Error> {
        let begun = Instant::now();
        let state = Arc::new(Mutex::new(LinkState { up_since: Some(begun), refused: None }));
        loop {
            let connected = options(creds, &state, patience)?.connect(server).await;
            let error = match connected {
                Ok(client) => return Ok(Self { client, state }),
                Err(error) => error,
            };
            let server = server.to_owned();
            match error.kind() {
                ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
                    return Err(Error::NotAuthorized { server });
                }
                _ if within.is_some_and(|within| begun.elapsed() >= within) => {
                    let said = error.to_string();
                    return Err(Error::NoServer { server, said });
                }
                _ => tokio::time::sleep(RETRY).await,
            }
        }
    }

    /// Since when the connection is up; `None` while it is down.
    pub(crate) fn up_since(&self) -> Option<Instant> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).up_since
    }

    /// Fails when the server has refused the credentials or a subject.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let refused = state.refused.clone();
        refused.map_or(Ok(()), |said| Err(Error::NotPermitted { said }))
    }
}

/// Returns the options of a connection that writes its events into `state`.
///
/// # Errors
///
/// When the NATS credentials cannot be used.
fn options(
    creds: Option<&Creds>,
    state: &Arc<Mutex<LinkState>>,
    patience: Patience,
) -> Result<ConnectOptions, Error> {
    let state = Arc::clone(state);
    let mut options = ConnectOptions::new()
        .ping_interval(patience.beat())
        .connection_timeout(patience.connect_attempt())
        .reconnect_delay_callback(|_| RETRY)
        .event_callback(move |event| {
            note(&state, &event);
            std::future::ready(())
        });
    if let Some(creds) = creds {
        options = match &creds.nats_creds {
            Some(text) => options.credentials(text)?,
            None => options.user_and_password(creds.user.clone(), creds.password.clone()),
        };
        if let Some(ca) = &creds.ca {
            options = options.add_root_certificates(ca.clone()).require_tls(true);
        }
        if let Some(inbox) = &creds.inbox {
            options = options.custom_inbox_prefix(inbox);
        }
    }
    Ok(options)
}

fn note(state: &Mutex<LinkState>, event: &Event) {
    let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
    match event {
        Event::Connected => state.up_since = Some(Instant::now()),
        Event::Disconnected | Event::Closed => state.up_since = None,
        Event::ServerError(ServerError::AuthorizationViolation) => {
            state.refused = Some("authorization violation".to_owned());
        }
        Event::ServerError(ServerError::Other(said)) | Event::ClientError(ClientError::Other(said)) => {
            let words = said.to_lowercase();
            if words.contains("authorization violation") || words.contains("permissions violation") {
                state.refused = Some(said.clone());
            }
        }
        _ => {}
    }
}
