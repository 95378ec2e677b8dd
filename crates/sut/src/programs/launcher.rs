//! What the launchers in `apps/` log in our own words, because their servers do not log it themselves.

use crate::error::Error;
use crate::programs::system::release_after;
use ask::arm::settings::Settings;
use record::outcome::Limit;

/// The limit of requests that virtual threads serve at once; `None` where platform threads serve them. Only the application
/// knows the executor that runs it.
pub(crate) fn virtual_threads(log: &str) -> Option<Limit> {
    let executor = release_after(log, "prony: requests are served by ")?;
    // The executors of the JDK and of Spring, and the class of a thread.
    let kinds = ["ThreadPerTaskExecutor", "VirtualThreadTaskExecutor", "VirtualThread"];
    kinds.iter().any(|kind| executor.ends_with(kind)).then_some(Limit::None)
}

/// Fails if a server speaks plain HTTP where its settings ask for TLS, or the other way round.
pub(crate) fn check_scheme(server: &str, settings: &Settings, found: Option<String>) -> Result<(), Error> {
    let asked = settings.tls.map_or("http", |_| "https");
    if found.as_deref() == Some(asked) {
        return Ok(());
    }
    Err(Error::other_handler(server, asked, found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launcher_tells_what_its_server_does_not() {
        let served = |by: &str| virtual_threads(&format!("prony: requests are served by {by}\n"));
        let pool = "java.util.concurrent.ThreadPerTaskExecutor";
        assert_eq!(served(pool), Some(Limit::None));
        assert_eq!(served("VirtualThread"), Some(Limit::None));
        assert_eq!(served("JBossThread"), None);
        assert_eq!(served("the worker"), None);
    }
}
