//! [`TeamAddress`]: where the store of a team is, without any secret.

use super::encryption::Encryption;
use super::{TeamError, passfile};
use postgres::config::Host;
use say::{Say, Writer};
use std::fmt;
use std::time::Duration;

/// How long to wait for a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long to wait for a server that no longer acknowledges what was sent.
const LOST_AFTER: Duration = Duration::from_secs(30);
/// The port of PostgreSQL.
const PORT: u16 = 5432;

/// The address of a team's store: `postgres://USER@HOST:PORT/DATABASE`. It holds no password, so that it can be shown.
#[derive(Clone)]
pub struct TeamAddress {
    /// Boxed, because errors hold an address and are returned often.
    config: Box<postgres::Config>,
    pub(super) encryption: Encryption,
}

impl TeamAddress {
    /// Reads a URL.
    ///
    /// # Errors
    ///
    /// [`TeamError::NotAnAddress`], [`TeamError::PasswordInAddress`] for a URL with a password, which would be seen in the list of
    /// processes, and [`TeamError::NoSuchEncryption`]. No error quotes the URL.
    pub fn parse(url: &str) -> Result<Self, TeamError> {
        let is_postgres = url.starts_with("postgres://") || url.starts_with("postgresql://");
        let (url, encryption) = Encryption::split_off(url)?;
        let parsed = url.parse::<postgres::Config>().ok().filter(|_| is_postgres);
        let mut config = parsed.ok_or(TeamError::NotAnAddress)?;
        if config.get_password().is_some() {
            return Err(TeamError::PasswordInAddress);
        }
        if config.get_hosts().is_empty() {
            return Err(TeamError::NotAnAddress);
        }
        if config.get_user().is_none() {
            let user = std::env::var("USER").map_err(|_| TeamError::NotAnAddress)?;
            config.user(&user);
        }
        config
            .application_name("prony")
            .connect_timeout(CONNECT_TIMEOUT)
            .tcp_user_timeout(LOST_AFTER)
            .ssl_mode(encryption.mode());
        Ok(Self { encryption, config: Box::new(config) })
    }

    /// The configuration of a connection, with the password of this user's password file, if it has one.
    pub(super) fn with_password(&self) -> Result<postgres::Config, TeamError> {
        let mut config = postgres::Config::clone(&self.config);
        let password = passfile::password(&passfile::Wanted {
            host: &self.host(),
            port: self.port(),
            database: self.database(),
            user: self.user(),
        })?;
        if let Some(password) = password {
            config.password(password);
        }
        Ok(config)
    }

    /// The first host; the folder of a socket counts as `localhost`, as it does for PostgreSQL.
    fn host(&self) -> String {
        match self.config.get_hosts().first() {
            Some(Host::Tcp(host)) => host.clone(),
            _ => "localhost".to_owned(),
        }
    }

    fn port(&self) -> u16 {
        self.config.get_ports().first().copied().unwrap_or(PORT)
    }

    /// The role that connects.
    pub fn user(&self) -> &str {
        self.config.get_user().unwrap_or_default()
    }

    /// The database; by default it is named like the user.
    fn database(&self) -> &str {
        self.config.get_dbname().unwrap_or_else(|| self.user())
    }
}

impl fmt::Display for TeamAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (host, port) = (self.host(), self.port());
        write!(f, "postgres://{}@{host}:{port}/{}", self.user(), self.database())
    }
}

impl Say for TeamAddress {
    fn say(&self, out: &mut Writer) {
        out.value(self);
    }
}

impl fmt::Debug for TeamAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TeamAddress({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_what_may_be_secret() {
        let shown = |url: &str| TeamAddress::parse(url).map(|address| address.to_string());
        let plain = "postgres://nina@db.example:5433/perf";
        assert_eq!(shown(plain).expect("an address"), plain);
        assert_eq!(
            shown("postgresql://nina@db.example?application_name=marked-secret").expect("an address"),
            "postgres://nina@db.example:5432/nina"
        );
        assert_eq!(
            shown("postgres://nina@/perf?host=/run/postgresql").expect("an address"),
            "postgres://nina@localhost:5432/perf"
        );
    }

    #[test]
    fn a_password_in_an_address_is_refused_and_not_quoted() {
        for url in [
            "postgres://nina:marked-secret@db.example/perf",
            "postgres://nina@db.example/perf?password=marked-secret",
            "postgres://nina:marked-secret@db.example:port/perf",
            "mysql://nina:marked-secret@db.example/perf",
        ] {
            let error = TeamAddress::parse(url).expect_err("refused");
            let said = format!("{error} {error:?} {:?}", say::hint(&error, say::Language::En));
            assert!(!said.contains("marked-secret"), "{said}");
        }
        assert!(matches!(TeamAddress::parse("postgres://nina:x@db/perf"), Err(TeamError::PasswordInAddress)));
    }
}
