//! `prony serve`: stored runs in the browser, until Ctrl-C.

use crate::args;
use crate::failure::Failure;
use crate::home::Home;
use crate::output;
use crate::say::Line;
use crate::signals;
use crate::web::Address;
use crate::web::stored::Stored;
use std::sync::atomic::Ordering;
use std::time::Duration;
use store::Store;

/// How soon Ctrl-C is noticed.
const LOOK: Duration = Duration::from_millis(100);

pub(crate) fn run(args: &args::Serve) -> Result<(), Failure> {
    let folder = Home::find()?.data;
    // What is wrong with the store is said now, not to the first visitor.
    drop(Store::open(&folder)?);
    let stop = signals::stop_flag()?;
    let address = Address {
        listen: args.listen,
        lang: output::page_lang(&args.language),
    };
    let pages = Stored::start(address, folder)?;
    Line::RunsServed { url: pages.url() }.tell(output::lang(&args.language));
    while !stop.load(Ordering::Relaxed) {
        std::thread::sleep(LOOK);
    }
    Ok(())
}
