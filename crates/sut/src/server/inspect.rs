//! [`Inspector`]: looks into a running JVM while it is loaded. A Java program of ours attaches to it, and reads the
//! server's counters, the stacks of its threads, its heap, and a recording of the JDK Flight Recorder.
//!
//! That costs the server memory and time, and a thread dump stops all threads. So use it only in a start in which nothing is
//! measured.

use crate::error::Error;
use crate::server::java_helper::JavaHelper;
use crate::server::java_program::INSPECT;
use crate::server::running::Server;
use crate::tools::site::Site;
use model::units::{Bytes, Seconds};
use record::inspection::{
    AllocationSeen, AskedCollections, ClassObjects, CrowdSeen, HeapSeen, Held, IdleSeen, Inspection,
    JfrFacts, KeeperSeen, PoolReading, SleepsSeen, StackSeen, StuckThread, ThreadSamples, ThreadState,
    ThreadsSeen, Waits,
};
use std::collections::BTreeMap;
use std::str::Split;
use std::sync::atomic::AtomicBool;

/// A thread that answers a request has one of these on its stack: a servlet or a filter, of Java EE or of Jakarta EE.
const ANSWERING: [&str; 2] = ["servlet.http.HttpServlet.service", ".doFilter"];

/// A program that is attached to a server's JVM. Dropping this ends it.
#[derive(Debug)]
pub struct Inspector(JavaHelper);

impl Inspector {
    /// Attaches to the JVM of a server; `None` for a server without a JVM, or if there is no Java that could attach.
    ///
    /// # Errors
    /// The JVM refuses the attachment, or the stop flag was raised.
    pub fn attach(server: &Server, site: &Site, stop: &AtomicBool) -> Result<Option<Self>, Error> {
        let helper = JavaHelper::start(&INSPECT, server, site, stop)?;
        let Some(helper) = helper else {
            return Ok(None);
        };
        helper.answer(stop)?;
        Ok(Some(Self(helper)))
    }

    /// Asks the JDK Flight Recorder to record the next inspection, and returns whether it will.
    ///
    /// # Errors
    /// The program has ended, or the stop flag was raised.
    pub fn record(&mut self, stop: &AtomicBool) -> Result<bool, Error> {
        self.0.order("record")?;
        Ok(self.0.answer(stop)? == "recording")
    }

    /// Reads what the server holds, and takes thread dumps for half a second, in which the server should have no load.
    ///
    /// # Errors
    /// The program has ended, or the stop flag was raised.
    pub fn idle(&mut self, stop: &AtomicBool) -> Result<IdleSeen, Error> {
        self.0.order("idle")?;
        let seen = self.results(stop)?;
        Ok(IdleSeen { threads: seen.loaded, held: seen.held_after })
    }

    /// Begins the inspection; this returns at once.
    ///
    /// # Errors
    /// The program has ended.
    pub fn begin(&mut self) -> Result<(), Error> {
        self.0.order("begin")
    }

    /// Ends the inspection; this returns at once.
    ///
    /// # Errors
    /// The program has ended.
    pub fn end(&mut self) -> Result<(), Error> {
        self.0.order("end")
    }

    /// The results of the inspection between begin and end.
    ///
    /// # Errors
    /// The program has ended, or the stop flag was raised.
    pub fn results(&mut self, stop: &AtomicBool) -> Result<Inspection, Error> {
        let mut inspection = Inspection::default();
        loop {
            let line = self.0.answer(stop)?;
            if line == "done" {
                return Ok(completed(inspection));
            }
            // A line of an unknown kind is ignored.
            let _ = add_line(&mut inspection, &line);
        }
    }
}

/// The inspection with the most frequent stacks first, and with the number of its threads.
fn completed(mut inspection: Inspection) -> Inspection {
    let samples = inspection.loaded.take().filter(|samples| samples.dumps > 0);
    inspection.loaded = samples.map(|mut samples| {
        samples.stacks.sort_by_key(|stack| std::cmp::Reverse(stack.threads));
        samples
    });
    inspection.threads = inspection.loaded.as_ref().map(threads);
    inspection
}

/// The number of threads in the mean of all dumps.
fn threads(samples: &ThreadSamples) -> ThreadsSeen {
    let answers = |stack: &StackSeen| {
        let mut frames = stack.frames.iter();
        frames.any(|frame| ANSWERING.iter().any(|end| frame.ends_with(end)))
    };
    let mean = |is_virtual: bool, only_answering: bool| {
        let stacks = samples.stacks.iter().filter(|stack| stack.is_virtual == is_virtual);
        let counted = stacks.filter(|stack| !only_answering || answers(stack));
        let threads: u64 = counted.map(|stack| stack.threads).sum();
        (threads as f64 / f64::from(samples.dumps)).round() as u64
    };
    ThreadsSeen {
        platform: mean(false, false),
        r#virtual: mean(true, false),
        platform_answering: mean(false, true),
        virtual_answering: mean(true, true),
    }
}

/// Adds what a line of the program's output tells; `None` for a line of an unknown kind or with missing values.
fn add_line(inspection: &mut Inspection, line: &str) -> Option<()> {
    let mut words = line.split('\t');
    let kind = words.next()?;
    match kind {
        "seconds" => inspection.seconds = Seconds(words.next()?.parse().ok()?),
        "pool" => inspection.pool.extend(pool(&mut words)),
        "dumps" => inspection.loaded.get_or_insert_default().dumps = words.next()?.parse().ok()?,
        "stack" => {
            let stack = stack(&mut words)?;
            inspection.loaded.get_or_insert_default().stacks.push(stack);
        }
        "crowd" => {
            let method = words.next()?.to_owned();
            let (at_once, dumps) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
            let crowd = CrowdSeen { method, at_once, dumps };
            inspection.loaded.get_or_insert_default().crowds.push(crowd);
        }
        "allocated" => {
            let bytes: f64 = words.next()?.parse().ok()?;
            // Zero means that the recorder took no samples: a JVM under load always allocates.
            inspection.jfr.get_or_insert_default().allocated = Some(bytes).filter(|bytes| *bytes > 0.0);
        }
        "sleep" => {
            let (method, sleeps) = (words.next()?.to_owned(), sleeps(&mut words)?);
            inspection.jfr.get_or_insert_default().sleeps.insert(method, sleeps);
        }
        "sampled" => {
            let stack = stack(&mut words)?;
            inspection.jfr.get_or_insert_default().samples.push(stack);
        }
        "owner" => inspection.owners.push(stack(&mut words)?),
        "asked" => {
            let [thread, method, who, count, seconds] = std::array::from_fn(|_| words.next());
            let [thread, method, who, count, seconds] = [thread?, method?, who?, count?, seconds?];
            let known = |word: &str| Some(word.to_owned()).filter(|word| word != "-");
            let waits = Waits { count: count.parse().ok()?, seconds: Seconds(seconds.parse().ok()?) };
            let asked = AskedCollections {
                thread: known(thread),
                method: known(method),
                for_direct_memory: who == "direct",
                waits,
            };
            inspection.jfr.get_or_insert_default().asked.push(asked);
        }
        "heap" | "held" | "grown" | "keeper" | "kept" => add_memory(inspection, kind, &mut words)?,
        "stuck" => inspection.deadlock.push(stuck(&mut words)?),
        "allocation" => {
            let allocation = allocation(&mut words)?;
            inspection.jfr.get_or_insert_default().allocations.push(allocation);
        }
        "monitor" | "pinned" | "parked" | "socket" | "file" | "stall" => {
            let (name, count, seconds) = (words.next()?, words.next()?, words.next()?);
            let wait = Waits { count: count.parse().ok()?, seconds: Seconds(seconds.parse().ok()?) };
            let waits = waits_for(inspection.jfr.get_or_insert_default(), kind);
            waits.insert(name.to_owned(), wait);
        }
        _ => return None,
    }
    Some(())
}

/// Adds what a line of this kind tells of the memory.
fn add_memory(inspection: &mut Inspection, kind: &str, words: &mut Split<'_, char>) -> Option<()> {
    match kind {
        "heap" => {
            let [live, most] = [words.next()?, words.next()?].map(|bytes| bytes.parse().ok().map(Bytes));
            inspection.heap = live.zip(most).map(|(live, most)| HeapSeen { live, most });
        }
        "held" => inspection.held_after = held(words),
        "grown" => inspection.grown.push(objects(words)?),
        "keeper" => inspection.keeper = keeper(words),
        _ => {
            let kept = objects(words)?;
            inspection.keeper.as_mut()?.classes.push(kept);
        }
    }
    Some(())
}

fn waits_for<'a>(facts: &'a mut JfrFacts, kind: &str) -> &'a mut BTreeMap<String, Waits> {
    match kind {
        "monitor" => &mut facts.monitors,
        "pinned" => &mut facts.pinned,
        "parked" => &mut facts.parked,
        "socket" => &mut facts.sockets,
        "stall" => &mut facts.stalls,
        _ => &mut facts.files,
    }
}

/// A reading of the server's pools; `None` if it has no value at all.
fn pool(words: &mut Split<'_, char>) -> Option<PoolReading> {
    let at_ns = words.next()?.parse().ok()?;
    let mut number = || words.next().and_then(|word| word.parse().ok());
    let reading =
        PoolReading { at_ns, busy: number(), threads: number(), queued: number(), connections: number() };
    let nothing = PoolReading { at_ns, ..PoolReading::default() };
    (reading != nothing).then_some(reading)
}

/// Threads with the same stack; `None` if values are missing.
fn stack(words: &mut Split<'_, char>) -> Option<StackSeen> {
    let threads = words.next()?.parse().ok()?;
    let is_virtual = words.next()? == "virtual";
    let state = match words.next()? {
        "runnable" => ThreadState::Runnable,
        "blocked" => ThreadState::Blocked,
        "waiting" => ThreadState::Waiting,
        _ => ThreadState::Unknown,
    };
    let group = words.next()?.to_owned();
    let known = |word: &str| Some(word.to_owned()).filter(|word| word != "-");
    let (waits_for, held) = (known(words.next()?), known(words.next()?));
    let lines = lines(words.next()?);
    let held = held.iter().flat_map(|held| held.split(';'));
    Some(StackSeen {
        group,
        is_virtual,
        state,
        waits_for,
        frames: words.filter(|frame| !frame.is_empty()).map(str::to_owned).collect(),
        threads,
        holds: held.map(str::to_owned).collect(),
        lines,
    })
}

/// What objects of a class were allocated on a stack; `None` if values are missing.
fn allocation(words: &mut Split<'_, char>) -> Option<AllocationSeen> {
    let bytes = words.next()?.parse().ok()?;
    let class = words.next()?.to_owned();
    let lines = lines(words.next()?);
    Some(AllocationSeen { class, bytes, frames: words.map(str::to_owned).collect(), lines })
}

/// The sleeps in a method; `None` if values are missing.
fn sleeps(words: &mut Split<'_, char>) -> Option<SleepsSeen> {
    let count = words.next()?.parse().ok()?;
    Some(SleepsSeen {
        count,
        seconds: Seconds(words.next()?.parse().ok()?),
        spread: words.next()?.parse().ok(),
    })
}

/// What the JVM holds; what it does not tell is `None`.
fn held(words: &mut Split<'_, char>) -> Option<Held> {
    let mut number = || words.next().and_then(|word| word.parse().ok());
    Some(Held {
        threads: number()?,
        classes: number()?,
        metaspace: number().map(Bytes),
        direct: number().map(Bytes),
        open_files: number(),
        live: number().map(Bytes),
    })
}

/// What keeps most of the heap, without its classes; `None` if values are missing.
fn keeper(words: &mut Split<'_, char>) -> Option<KeeperSeen> {
    let [kept, live] = [words.next()?, words.next()?].map(|bytes| bytes.parse().ok().map(Bytes));
    let mut fields: Vec<String> = words.map(str::to_owned).collect();
    let class = fields.pop()?;
    Some(KeeperSeen { kept: kept?, live: live?, fields, class, classes: Vec::new() })
}

/// Objects of a class; `None` if values are missing.
fn objects(words: &mut Split<'_, char>) -> Option<ClassObjects> {
    let class = words.next()?.to_owned();
    Some(ClassObjects {
        class,
        objects: words.next()?.parse().ok()?,
        bytes: Bytes(words.next()?.parse().ok()?),
    })
}

/// A thread of a deadlock; `None` if values are missing.
fn stuck(words: &mut Split<'_, char>) -> Option<StuckThread> {
    let [name, waits_for, held_by] = [words.next()?, words.next()?, words.next()?].map(str::to_owned);
    let lines = lines(words.next()?);
    Some(StuckThread { name, waits_for, held_by, frames: words.map(str::to_owned).collect(), lines })
}

/// The lines of the methods of a stack; none where they are not told.
fn lines(word: &str) -> Vec<u32> {
    word.split(',').map_while(|line| line.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(output: &str) -> Inspection {
        let mut inspection = Inspection::default();
        for line in output.lines() {
            let _ = add_line(&mut inspection, line);
        }
        inspection
    }

    #[test]
    fn the_output_of_the_program_is_parsed_and_unknown_lines_are_ignored() {
        let inspection = parsed(
            "seconds\t1.5\npool\t7\t200\t210\t-\t301\npool\t8\t-\t-\t-\t-\nheap\t700\t1000\n\
             monitor\torg.example.Lock\t12\t0.75\npinned\tNative or VM frame on stack\t2\t1.0\n\
             parked\tjava.util.concurrent.Semaphore$NonfairSync\t100\t90.5\nsocket\t127.0.0.1:11211\t5\t0.5\n\
             file\t/logs/access log.txt\t9\t0.1\nstall\tSmall\t3\t0.2\nallocated\t1.5E8\nnews\tof tomorrow\n\
             monitor\tcut\nstack\tcut",
        );
        assert_eq!(inspection.seconds, Seconds(1.5));
        let reading = PoolReading {
            at_ns: 7,
            busy: Some(200),
            threads: Some(210),
            queued: None,
            connections: Some(301),
        };
        assert_eq!(inspection.pool, [reading]);
        assert_eq!(inspection.heap, Some(HeapSeen { live: Bytes(700), most: Bytes(1000) }));
        assert_eq!(inspection.loaded, None);
        let jfr = inspection.jfr.expect("there");
        let wait = |count, seconds| Waits { count, seconds: Seconds(seconds) };
        assert_eq!(jfr.monitors, [("org.example.Lock".to_owned(), wait(12, 0.75))].into());
        assert_eq!(jfr.pinned["Native or VM frame on stack"], wait(2, 1.0));
        assert_eq!(jfr.parked.len(), 1);
        assert_eq!(jfr.sockets["127.0.0.1:11211"], wait(5, 0.5));
        assert_eq!(jfr.files["/logs/access log.txt"], wait(9, 0.1));
        assert_eq!(jfr.stalls["Small"], wait(3, 0.2));
        assert_eq!(jfr.allocated, Some(1.5e8));
    }

    #[test]
    fn samples_of_the_recorder_have_their_stacks() {
        let inspection = parsed(
            "sleep\tshop.Gate.pass\t400\t80.5\t0.12\n\
             allocation\t1.2E8\tbyte[]\t0,42\tjava.util.Arrays.copyOf\tshop.Report.render\n\
             sampled\t7\tplatform\trunnable\t\t-\t-\t42\tshop.Report.render\n\
             asked\tcache-refresh\tshop.Cache.refresh:26\tapplication\t2\t0.5",
        );
        let jfr = inspection.jfr.expect("there");
        let allocation = AllocationSeen {
            class: "byte[]".to_owned(),
            bytes: 1.2e8,
            frames: vec!["java.util.Arrays.copyOf".to_owned(), "shop.Report.render".to_owned()],
            lines: vec![0, 42],
        };
        assert_eq!(jfr.allocations, [allocation]);
        let sampled = &jfr.samples[0];
        assert_eq!(
            (sampled.threads, sampled.place_of("shop.Report.render").as_deref()),
            (7, Some("shop.Report.render:42"))
        );
        let asked = &jfr.asked[0];
        assert_eq!(
            (asked.thread.as_deref(), asked.method.as_deref()),
            (Some("cache-refresh"), Some("shop.Cache.refresh:26"))
        );
        assert_eq!(asked.waits, Waits { count: 2, seconds: Seconds(0.5) });
        let sleeps = SleepsSeen { count: 400, seconds: Seconds(80.5), spread: Some(0.12) };
        assert_eq!(jfr.sleeps["shop.Gate.pass"], sleeps);
    }

    #[test]
    fn what_is_held_and_who_holds_it_is_parsed() {
        let inspection = parsed(
            "held\t31\t9000\t60000000\t-\t77\t8000000\ngrown\tshop.Session\t400\t12800\n\
             owner\t12\tplatform\twaiting\trefresh-#\t-\tx.Lock\t9\tx.Refresh.run\n\
             stuck\texec-1\tshop.Account\texec-2\t17\tshop.Transfer.run",
        );
        let stuck = StuckThread {
            name: "exec-1".to_owned(),
            waits_for: "shop.Account".to_owned(),
            held_by: "exec-2".to_owned(),
            frames: vec!["shop.Transfer.run".to_owned()],
            lines: vec![17],
        };
        assert_eq!(inspection.deadlock, [stuck]);
        let owner = &inspection.owners[0];
        assert_eq!(
            (owner.threads, owner.group.as_str(), owner.holds.as_slice()),
            (12, "refresh-#", &["x.Lock".to_owned()][..])
        );
        assert_eq!(owner.place_of("x.Refresh.run").as_deref(), Some("x.Refresh.run:9"));
        let held = Held {
            threads: 31,
            classes: 9000,
            metaspace: Some(Bytes(60_000_000)),
            direct: None,
            open_files: Some(77),
            live: Some(Bytes(8_000_000)),
        };
        assert_eq!(inspection.held_after, Some(held));
        let grown = ClassObjects { class: "shop.Session".to_owned(), objects: 400, bytes: Bytes(12_800) };
        assert_eq!(inspection.grown, [grown]);
    }

    #[test]
    fn what_keeps_the_heap_has_its_fields_and_classes() {
        let inspection = parsed(
            "kept\tbyte[]\t1\t16\nkeeper\t220\t250\tshop.Main.cache\tshop.Cache.entries\tjava.util.HashMap\n\
             kept\tbyte[]\t37000\t200\nkept\tshop.Article\t37000\t9\nkept\tcut",
        );
        let keeper = inspection.keeper.expect("told");
        assert_eq!(
            (keeper.kept, keeper.live, keeper.class.as_str()),
            (Bytes(220), Bytes(250), "java.util.HashMap")
        );
        assert_eq!(keeper.fields, ["shop.Main.cache", "shop.Cache.entries"]);
        let classes: Vec<&str> = keeper.classes.iter().map(|one| one.class.as_str()).collect();
        assert_eq!(classes, ["byte[]", "shop.Article"]);
    }

    #[test]
    fn stacks_are_sorted_and_those_of_requests_counted() {
        let output = "dumps\t2\n\
            stack\t2\tplatform\trunnable\thttp-nio-#-exec-#\t-\t-\t0,731\tsun.nio.ch.Net.poll\tjavax.servlet.http.HttpServlet.service\n\
            stack\t600\tvirtual\tunknown\t\t-\t-\t-\tjava.lang.VirtualThread.park\tx.Filter.doFilter\n\
            stack\t8\tplatform\tblocked\tpool-#\tx.Lock\tx.A;x.B\t17\tx.A.run\n\
            stack\t3\tplatform\twaiting\tpool-#\t-\t-\t-\t\nstack\tcut\ncrowd\tx.Page.build\t16\t1";
        let mut inspection = Inspection::default();
        for line in output.lines() {
            let _ = add_line(&mut inspection, line);
        }
        let inspection = completed(inspection);
        let loaded = inspection.loaded.expect("there");
        let counts: Vec<u64> = loaded.stacks.iter().map(|stack| stack.threads).collect();
        assert_eq!((loaded.dumps, counts), (2, vec![600, 8, 3, 2]));
        let blocked = StackSeen {
            group: "pool-#".to_owned(),
            is_virtual: false,
            state: ThreadState::Blocked,
            waits_for: Some("x.Lock".to_owned()),
            frames: vec!["x.A.run".to_owned()],
            threads: 8,
            holds: vec!["x.A".to_owned(), "x.B".to_owned()],
            lines: vec![17],
        };
        assert_eq!(loaded.stacks[1], blocked);
        assert!(loaded.stacks[0].is_virtual && loaded.stacks[2].frames.is_empty());
        let crowd = CrowdSeen { method: "x.Page.build".to_owned(), at_once: 16, dumps: 1 };
        assert_eq!(loaded.crowds, [crowd]);
        let threads = inspection.threads.expect("counted");
        assert_eq!((threads.platform, threads.r#virtual), (7, 300));
        assert_eq!((threads.platform_answering, threads.virtual_answering), (1, 300));
    }

    #[test]
    fn without_a_dump_nothing_is_known_of_threads() {
        let mut inspection = Inspection::default();
        let _ = add_line(&mut inspection, "dumps\t0");
        let inspection = completed(inspection);
        assert_eq!((inspection.loaded, inspection.threads), (None, None));
    }
}
