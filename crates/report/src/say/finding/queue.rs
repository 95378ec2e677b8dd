//! Findings on the accept queue, in which complete connections wait until the server accepts them.

use crate::words::Lang;
use ::say::numbers::{count, percent};
use model::finding::QueueOverflow;

/// The accept queue was full.
pub(super) fn overflow(overflow: &QueueOverflow, lang: Lang) -> String {
    match overflow {
        QueueOverflow::UnderLoad { limit, overflows, late, retries, connecting, .. } if *late == 0.0 => {
            still_connecting(*limit, *overflows, retries, *connecting, lang)
        }
        QueueOverflow::UnderLoad { limit, overflows, late, on_time, retries, connecting } => {
            let (limit, overflows, retries) = (count(*limit), count(*overflows as f64), times(retries));
            let [late, on_time, connecting] = [late, on_time, connecting].map(|share| percent(*share));
            match lang {
                Lang::En => format!(
                    "the accept queue of {limit} overflowed {overflows} times: {late} of the connects took a second or more, \
                     {on_time} of them as long as this kernel waits before it sends SYN again ({retries} s); {connecting} of \
                     the users were connecting at any moment"
                ),
                Lang::Zh => format!(
                    "长度为 {limit} 的 accept 队列溢出了 {overflows} 次：{late} 的连接用时一秒以上，其中 {on_time} \
                     与本机内核重发 SYN 的间隔（{retries} s）相符；任一时刻有 {connecting} 的用户正在建立连接"
                ),
            }
        }
        QueueOverflow::AtConnecting { users, limit, overflows, again, retries } => {
            let [users, overflows, again] = [users, overflows, again].map(|number| count(*number));
            let retries = times(retries);
            match lang {
                Lang::En => format!(
                    "while {users} users connected at once the accept queue of {limit} overflowed {overflows} times: SYN was \
                     sent again {again} times, a second and more later ({retries} s); all were connected before anything was \
                     counted"
                ),
                Lang::Zh => format!(
                    "{users} 个用户同时建立连接时，长度为 {limit} 的 accept 队列溢出了 {overflows} 次：SYN \
                     在一秒以上之后（{retries} s）重发了 {again} 次；计数开始之前全部连接均已建立"
                ),
            }
        }
    }
}

/// Users are missing in all of a slice, because it is shorter than the wait before a retry.
fn still_connecting(limit: f64, overflows: u64, retries: &[f64], connecting: f64, lang: Lang) -> String {
    let (limit, overflows, retries) = (count(limit), count(overflows as f64), times(retries));
    let connecting = percent(connecting);
    match lang {
        Lang::En => format!(
            "the accept queue of {limit} overflowed {overflows} times: {connecting} of the users were connecting at any moment, \
             because this kernel sends SYN again after {retries} s only"
        ),
        Lang::Zh => format!(
            "长度为 {limit} 的 accept 队列溢出了 {overflows} 次：任一时刻有 {connecting} 的用户正在建立连接，\
             因为本机内核在 {retries} s 之后才重发 SYN"
        ),
    }
}

/// Times in whole seconds: `1, 3, 7`.
fn times(retries: &[f64]) -> String {
    let whole: Vec<String> = retries.iter().map(|seconds| format!("{seconds:.0}")).collect();
    whole.join(", ")
}
