//! Errors of a team's store, with hints about what to do. None of them holds a password.

use super::TeamAddress;
use postgres::error::SqlState;
use std::path::{Path, PathBuf};

/// Why the store of a team cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TeamError {
    /// The text is no address of a PostgreSQL database. It is not quoted, because it may hold a password.
    #[error("the store is not an address such as postgres://USER@HOST/DATABASE")]
    NotAnAddress,
    /// The address holds a password.
    #[error(
        "the address of the store has a password in it, which everybody on this machine could read in the list of processes"
    )]
    PasswordInAddress,
    /// The address asks for a way of encryption that psql does not have.
    #[error("there is no sslmode `{mode}`")]
    NoSuchEncryption {
        /// What was given.
        mode: String,
    },
    /// The certificates cannot be used by which the server is to be checked.
    #[error("cannot use the certificates {}: {said}", place(.path.as_deref()))]
    Certificates {
        /// The file; `None` means those that the system trusts.
        path: Option<PathBuf>,
        /// What is wrong with them.
        said: String,
    },
    /// Others may read the file with the passwords.
    #[error("{path} can be read by others, and is not used")]
    OpenPassfile {
        /// The file.
        path: PathBuf,
    },
    /// The server cannot be reached, or lets nobody in.
    #[error("cannot connect to {at}: {}", detail(.source))]
    Connect {
        /// The store.
        at: TeamAddress,
        /// What the server or the system says.
        source: postgres::Error,
    },
    /// The server refuses something, or the connection was lost on the way.
    #[error("cannot use the runs in {at}: {}", detail(.source))]
    Sql {
        /// The store.
        at: TeamAddress,
        /// What the server or the system says.
        source: postgres::Error,
    },
    /// Nothing was ever pushed to the database.
    #[error("no runs were ever pushed to {at}")]
    Empty {
        /// The store.
        at: TeamAddress,
    },
    /// A later prony has changed the tables.
    #[error("{at} was changed by a later prony (schema {stored}, this one knows {known})")]
    Newer {
        /// The store.
        at: TeamAddress,
        /// The version of its tables.
        stored: u32,
        /// The latest version that this prony knows.
        known: u32,
    },
    /// The tables are those of an earlier prony, and this user only reads.
    #[error("{at} has the tables of an earlier prony (schema {stored}, this one needs {known})")]
    Older {
        /// The store.
        at: TeamAddress,
        /// The version of its tables.
        stored: u32,
        /// The version that this prony needs.
        known: u32,
    },
    /// The other store has something else under the id of a run.
    #[error("another run {run}, or more of it, is already stored in {place}")]
    Conflict {
        /// The run.
        run: String,
        /// Where.
        place: String,
    },
    /// There is no such run.
    #[error("there is no run `{run}` in {place}")]
    Unknown {
        /// What was asked for.
        run: String,
        /// Where.
        place: String,
    },
    /// Several ids of runs begin with the given prefix.
    #[error("`{prefix}` fits more than one run: {}", .runs.join(", "))]
    ManyFit {
        /// The prefix.
        prefix: String,
        /// The ids that begin with it.
        runs: Vec<String>,
    },
    /// The store of this machine fails.
    #[error(transparent)]
    Local(#[from] crate::Error),
}

/// What can be done about an error of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TeamTrouble {
    /// This role may not do it.
    NotAllowed,
    /// The password is wrong or missing.
    Password,
    /// There is no such database.
    NoDatabase,
    /// The server has no space left.
    Full,
    /// Nobody who is trusted has signed the server's certificate for the host of the address.
    Certificate,
    /// The server does not encrypt.
    NoEncryption,
    /// The server does not answer, or the connection was lost.
    Unreachable,
}

impl TeamError {
    /// What can be done about an error of the server; `None` for every other error.
    pub fn trouble(&self) -> Option<TeamTrouble> {
        let (Self::Connect { source, .. } | Self::Sql { source, .. }) = self else {
            return None;
        };
        let Some(state) = source.code() else {
            // The library has no other word for them.
            let said = detail(source);
            let of_client = [
                ("password", TeamTrouble::Password),
                ("certificate", TeamTrouble::Certificate),
                ("server does not support TLS", TeamTrouble::NoEncryption),
            ];
            let known = of_client.iter().find(|(word, _)| said.contains(word));
            return Some(known.map_or(TeamTrouble::Unreachable, |(_, trouble)| *trouble));
        };
        let known = [
            (&SqlState::INSUFFICIENT_PRIVILEGE, TeamTrouble::NotAllowed),
            (&SqlState::READ_ONLY_SQL_TRANSACTION, TeamTrouble::NotAllowed),
            (&SqlState::INVALID_PASSWORD, TeamTrouble::Password),
            (
                &SqlState::INVALID_AUTHORIZATION_SPECIFICATION,
                TeamTrouble::Password,
            ),
            (&SqlState::INVALID_CATALOG_NAME, TeamTrouble::NoDatabase),
            (&SqlState::DISK_FULL, TeamTrouble::Full),
            (&SqlState::ADMIN_SHUTDOWN, TeamTrouble::Unreachable),
            (&SqlState::CRASH_SHUTDOWN, TeamTrouble::Unreachable),
            (&SqlState::CANNOT_CONNECT_NOW, TeamTrouble::Unreachable),
        ];
        known
            .iter()
            .find(|(known, _)| *known == state)
            .map(|(_, trouble)| *trouble)
    }

    /// What the server or the system says; empty for every other error.
    pub fn from_server(&self) -> String {
        match self {
            Self::Connect { source, .. } | Self::Sql { source, .. } => detail(source),
            _ => String::new(),
        }
    }

    /// What the user can do about the error; `None` when nothing is known to help.
    pub fn hint(&self) -> Option<String> {
        let text = match self {
            Self::NotAnAddress => "for example postgres://nina@db.example:5432/perf",
            Self::PasswordInAddress => {
                "leave it out and put it into ~/.pgpass (host:port:database:user:password, chmod 600), or into the file that PGPASSFILE names"
            }
            Self::NoSuchEncryption { .. } => {
                "write disable, prefer (encrypt where the server offers it), or verify-full (encrypt, and check its certificate)"
            }
            Self::Certificates { .. } => {
                "name a PEM file: ?sslmode=verify-full&sslrootcert=FILE, or PGSSLROOTCERT=FILE"
            }
            Self::OpenPassfile { path } => return Some(format!("chmod 600 {}", path.display())),
            Self::Connect { .. } | Self::Sql { .. } => {
                return self.trouble().map(|trouble| trouble_hint(trouble).to_owned());
            }
            Self::Empty { .. } => "`prony push` makes the tables and stores runs there",
            Self::Newer { .. } => "update this prony to the one that the team uses",
            Self::Older { .. } => "`prony push` of a user who may write brings the tables up to date",
            Self::Conflict { .. } => {
                "`prony history` lists the runs of this machine, `prony history --store URL` those of the team"
            }
            Self::Unknown { .. } => {
                "`prony history` lists the runs of this machine, `prony history --store URL` those of the team"
            }
            Self::ManyFit { .. } => "type more of the run's id",
            Self::Local(error) => return error.hint(),
        };
        Some(text.to_owned())
    }
}

const fn trouble_hint(trouble: TeamTrouble) -> &'static str {
    match trouble {
        TeamTrouble::NotAllowed => {
            "this role may only read: use one that may write, or let its owner grant it INSERT, UPDATE and DELETE"
        }
        TeamTrouble::Password => {
            "put the password into ~/.pgpass (host:port:database:user:password, chmod 600), or into the file that PGPASSFILE names"
        }
        TeamTrouble::NoDatabase => "make it with `createdb`, or name another one at the end of the address",
        TeamTrouble::Full => {
            "the disk of the database is full: free some space there; the runs are still stored on this machine"
        }
        TeamTrouble::Certificate => {
            "add sslrootcert=FILE to the address, with the certificate (PEM) of who signed the server's, and name the host as its certificate does"
        }
        TeamTrouble::NoEncryption => "switch it on there (`ssl = on`), or leave sslmode out of the address",
        TeamTrouble::Unreachable => {
            "see whether the server runs and can be reached; the runs of this machine stay here, and `prony push` sends them later"
        }
    }
}

/// The file, or the system.
fn place(path: Option<&Path>) -> String {
    path.map_or_else(
        || "that this system trusts".to_owned(),
        |path| format!("in {}", path.display()),
    )
}

/// What the server or the system says, with its cause.
fn detail(error: &postgres::Error) -> String {
    if let Some(from_server) = error.as_db_error() {
        return from_server.message().to_owned();
    }
    match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}
