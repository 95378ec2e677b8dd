//! Ctrl-C, SIGTERM and a closed terminal: the first signal asks the run to stop and report, the second ends it at once.

use crate::failure::{Code, Failure};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag::{register, register_conditional_shutdown};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Returns a flag that the first signal raises.
pub(crate) fn stop_flag() -> Result<Arc<AtomicBool>, Failure> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // The order matters: only the second signal finds the flag raised and ends this process, and the servers die with it.
        register_conditional_shutdown(signal, i32::from(Code::Interrupted as u8), Arc::clone(&stop))?;
        register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}
