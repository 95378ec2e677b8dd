//! The edges of the counted window: when they are crossed, and what is read at them.

use super::{Shard, SliceStage};
use crate::clock;
use crate::conn::ConnState;
use crate::recorder::WindowTotals;
use crate::slice::Edge;
use model::units::Nanos;

impl Shard {
    /// Moves on to the next stage when its time has come, and ends a second of the counted window when it is over.
    pub(super) fn cross_edges(&mut self, now: Nanos, on_edge: &mut dyn FnMut(Edge<'_>)) {
        if self.stage != SliceStage::Draining && self.has_nothing_left() {
            if self.stage == SliceStage::Settling {
                self.begin_counting(on_edge);
            }
            return self.end_counting(on_edge);
        }
        self.count_sessions(now);
        if let Some(open) = &mut self.open {
            open.count_due(now);
            let waiting = open.offered - open.taken.min(open.offered);
            let outstanding = waiting + self.busy as u64;
            self.overloaded |= self.stage != SliceStage::Draining && outstanding > open.max_outstanding;
        }
        let is_edge = self.is_edge(now);
        match self.stage {
            SliceStage::Settling if is_edge => self.begin_counting(on_edge),
            SliceStage::Counting if is_edge || self.overloaded => self.end_counting(on_edge),
            SliceStage::Counting if now >= self.recorder.second_ends() => {
                self.recorder.end_second(now);
                self.report_interval(on_edge);
            }
            _ => {}
        }
    }

    /// Whether the present stage ends now. Where edges wait for the next answer, that is when its time is over and a request has ended since
    /// then. The answers of a window over its time are then what the server does on average (Wald, *On Cumulative Sums of Random Variables*,
    /// 1944). With edges by the clock, the part of a pause that reaches beyond the window would be lost, because the arms take turns: it is
    /// over when the load comes back.
    fn is_edge(&mut self, now: Nanos) -> bool {
        if now < self.stage_ends || self.stage == SliceStage::Draining {
            return false;
        }
        if !self.plan.edges_at_answers || self.busy == 0 {
            return true;
        }
        let ended = self.recorder.ended();
        *self.edge_waits_at.get_or_insert(ended) != ended
    }

    /// Crosses the first edge.
    fn begin_counting(&mut self, on_edge: &mut dyn FnMut(Edge<'_>)) {
        self.stage = SliceStage::Counting;
        self.edge_waits_at = None;
        if let Some(open) = &mut self.open {
            open.offered_at_begin = open.offered;
        }
        self.begin_counting_sessions();
        on_edge(Edge::CountedBegins);
        let now = clock::now();
        self.stage_ends = now + self.window_length;
        self.cpu_at_begin = clock::thread_cpu_time();
        self.recorder.begin_window(now);
        self.record_edge(now);
    }

    /// Crosses the second edge.
    pub(super) fn end_counting(&mut self, on_edge: &mut dyn FnMut(Edge<'_>)) {
        let now = clock::now();
        let generator_cpu = clock::thread_cpu_time().since(self.cpu_at_begin);
        on_edge(Edge::CountedEnds);
        let mut offered = 0;
        if let Some(open) = &mut self.open {
            open.count_due(now);
            offered = open.offered - open.offered_at_begin;
            open.end = now;
        }
        self.end_counting_sessions(now);
        self.record_edge(now);
        self.recorder.end_window(now, WindowTotals { generator_cpu, offered });
        let carrying = self.conns.iter().filter(|conn| conn.state == ConnState::Carrying);
        let links = carrying.filter_map(|conn| conn.link.as_ref());
        self.recorder.record_connections(links.map(|link| link.http2.stream_limit()));
        self.report_interval(on_edge);
        self.stage = SliceStage::Draining;
        if self.open.is_none() && !self.plan.continuous {
            self.forget_waiting();
        }
        self.edge_waits_at = None;
        self.stage_ends = if self.overloaded { now } else { now + self.plan.response_timeout };
    }

    /// Tells the recorder which requests are in flight at an edge.
    fn record_edge(&mut self, now: Nanos) {
        let busy = self.conns.iter().filter(|conn| conn.state == ConnState::Busy);
        let sent = busy.flat_map(|conn| std::iter::repeat_n(conn.sent, conn.request_count()));
        self.recorder.cross_edge(now, sent);
    }

    /// Reports the second that ended last to the caller.
    fn report_interval(&mut self, on_edge: &mut dyn FnMut(Edge<'_>)) {
        if let Some(interval) = self.recorder.last_interval() {
            on_edge(Edge::Interval(interval));
        }
        self.recorder.forget_last_steps();
    }
}
