//! Repeats one of the operations that every request needs, so that `bench/instructions` can count their instructions under
//! callgrind: `hot parse|fresh|schedule|record N`. The difference between two values of N gives the cost of one.

use load::cells::HistogramCells;
use load::http1::{Http1, Memo};
use load::schedule::{DueTimes, ShardNumber};
use load::{RequestBuilder, Url};
use model::units::Rate;
use std::hint::black_box;

const HEAD: &str = "HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nDate: Sat, 21 Nov 2026 06:00:00 GMT\r\n\
    Content-Type: text/plain\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\nhello";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [what, times] = arguments.as_slice() else {
        return Err("usage: hot parse|fresh|schedule|record N".into());
    };
    let times: u64 = times.parse()?;
    match what.as_str() {
        "parse" => parse(times, false)?,
        "fresh" => parse(times, true)?,
        "schedule" => {
            let due = DueTimes::new(Rate(10_000.0), true, ShardNumber { index: 0, count: 1 }, 1, 0);
            due.take(times as usize).for_each(|due| {
                black_box(due);
            });
        }
        "record" => {
            let mut cells = HistogramCells::default();
            (0..times).for_each(|time| cells.record(black_box(20_000 + time % 512 * 1000)));
            black_box(cells);
        }
        _ => return Err("parse, fresh, schedule or record".into()),
    }
    Ok(())
}

/// Parses responses with the same head every time or, if `fresh`, with a head that differs from the one before.
fn parse(times: u64, fresh: bool) -> Result<(), Box<dyn std::error::Error>> {
    let request = RequestBuilder::new(&Url::parse("localhost")?).build()?;
    let heads = [HEAD.to_owned(), HEAD.replace("06:00:00", "06:00:01")];
    let (mut codec, mut memo) = (Http1::default(), Memo::default());
    for time in 0..times {
        let head = &heads[if fresh { time as usize % 2 } else { 0 }];
        let progress = codec.advance(black_box(head.as_bytes()), &request, &mut memo);
        black_box(progress).map_err(|fault| fault.id())?;
    }
    Ok(())
}
