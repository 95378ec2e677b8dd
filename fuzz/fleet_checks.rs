//! What must hold for any message that a fleet's coordinator gets. The fuzz target tries new messages,
//! `crates/fleet/tests/it/corpus.rs` replays the kept ones.
#![allow(unreachable_pub, reason = "each target uses it as a module of its own")]

use fleet::{Delta, Ledger, decode, encode};

/// The run and the agent to which the kept messages belong.
const RUN: &str = "r";
const AGENT: &str = "a";

/// The input is a frame. It is refused, or means the same when it is written again; a ledger takes it once, and gives a result.
pub fn fleet(data: &[u8]) {
    // A plan is the only other message with a content of its own; what is checked here is that it does no harm.
    let _ = decode::<traffic::plan::Plan>(RUN, data);
    let Ok((delta, parts)) = decode::<Delta>(RUN, data) else {
        return;
    };
    let owned: Vec<Vec<u8>> = parts.iter().map(|part| part.to_vec()).collect();
    let again = encode(RUN, &delta, &owned);
    let (read, read_parts) = decode::<Delta>(RUN, &again).expect("what we write can be read");
    assert!(read == delta && read_parts == parts, "it means the same");
    let mut ledger = Ledger::new(&[AGENT.to_owned(), "b".to_owned()]);
    let added = ledger.add(&delta, &parts);
    let repeated = ledger.add(&delta, &parts);
    if added == Ok(true) {
        assert_eq!(repeated, Ok(false), "it counts once");
    } else {
        assert_eq!(repeated, added, "what is refused stays refused");
    }
    assert!(!ledger.is_whole(), "nothing came from b");
    // The same numbers again under other ones, and from the other agent: sums must hold, too.
    for seq in [delta.seq / 2, delta.seq / 2 + 1] {
        for agent in [AGENT, "b"] {
            let mut other = delta.clone();
            (other.seq, other.agent) = (seq, agent.to_owned());
            let _ = ledger.add(&other, &parts);
        }
    }
    // All agents are merged at the end, and the sum must hold whatever they claimed.
    let mut merged = load::Slice::empty();
    for result in ledger.results() {
        merged.merge(result.slice);
    }
}
