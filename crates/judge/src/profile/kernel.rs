//! What the kernel does for a server. The flight recorder takes no samples of native methods, so thread dumps show it: of many threads within calls
//! of the kernel, the share within one kind of them is its share of the CPU time that the kernel works for the server.

use super::frames::{Call, call_of};
use model::units::{Bytes, Count};
use record::finding::{CpuWork, Pieces};
use record::inspection::{Inspection, StackSeen};

/// Fewest threads, summed over all dumps, that show shares.
const DUMPED: f64 = 20.0;
/// Fewest calls of a request that are many: two or three read a request and write its answer.
const MANY: f64 = 6.0;
/// Fewest bytes of a call that moves no small piece.
const SMALL: f64 = 2048.0;

/// The threads within calls of the kernel, and what these calls are.
pub(super) struct Calls<'a> {
    /// Stacks with the number of their threads, summed over all dumps.
    threads: Vec<(&'a StackSeen, Call, f64)>,
    inspection: &'a Inspection,
}

impl<'a> Calls<'a> {
    /// Those of an inspection; `None` where too few threads were seen within such calls.
    pub(super) fn of(inspection: &'a Inspection) -> Option<Self> {
        let loaded = inspection.loaded.as_ref()?;
        let within = loaded.stacks.iter().filter(|stack| stack.is_native());
        let calls = within.filter_map(|stack| {
            let threads = inspection.threads_by_load(stack).0 * f64::from(loaded.dumps);
            Some((stack, call_of(&stack.frames)?, threads)).filter(|_| threads > 0.0)
        });
        let calls = Self { threads: calls.collect(), inspection };
        (calls.all() >= DUMPED).then_some(calls)
    }

    /// All threads.
    pub(super) fn all(&self) -> f64 {
        self.threads.iter().map(|(_, _, threads)| threads).sum()
    }

    /// The threads within calls that can be spared, with that work.
    pub(super) fn spared(&self) -> Vec<(&'a StackSeen, f64, CpuWork)> {
        let spared = self.threads.iter().filter_map(|(stack, call, threads)| {
            let work = work(*call)?;
            let is_spared = work == CpuWork::FileNames || self.pieces(work).is_some();
            is_spared.then_some((*stack, *threads, work))
        });
        spared.collect()
    }

    /// The pieces that such calls move, where these are many and small.
    pub(super) fn pieces(&self, work: CpuWork) -> Option<Pieces> {
        let calls = self.inspection.calls?;
        let (kinds, count, bytes) = match work {
            CpuWork::SocketWrites | CpuWork::FileWrites => {
                ([Call::SocketWrite, Call::FileWrite], calls.writes, calls.written)
            }
            CpuWork::FileReads => ([Call::SocketRead, Call::FileRead], calls.reads, calls.read),
            _ => return None,
        };
        // The kernel counts calls to files and sockets together. They are as many as the threads within them.
        let of = |is_one: &dyn Fn(Call) -> bool| -> f64 {
            let those = self.threads.iter().filter(|(_, call, _)| is_one(*call));
            those.map(|(_, _, threads)| threads).sum()
        };
        let part = of(&|call| self::work(call) == Some(work)) / of(&|call| kinds.contains(&call)).max(1e-9);
        let per_request = part * count as f64 / self.inspection.ok.max(1) as f64;
        let each = bytes.0 as f64 / count.max(1) as f64;
        (per_request >= MANY && each < SMALL)
            .then(|| Pieces { per_request: Count(per_request), each: Bytes(each.round() as u64) })
    }
}

/// The work that a call is; `None` where a request needs it.
const fn work(call: Call) -> Option<CpuWork> {
    match call {
        Call::SocketWrite => Some(CpuWork::SocketWrites),
        Call::FileWrite => Some(CpuWork::FileWrites),
        Call::FileRead => Some(CpuWork::FileReads),
        Call::FileName => Some(CpuWork::FileNames),
        Call::SocketRead | Call::Wake => None,
    }
}
