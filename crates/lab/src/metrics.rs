//! Figures that a server tells of itself in the text format of Prometheus: those of Micrometer (Spring Boot, Quarkus) and of the Java client of
//! Prometheus (its exporter of JMX, too).

use model::units::{Bytes, Nanos};
use record::outcome::Effective;
use record::telemetry::{CpuTimes, Holdings, JvmTotals, Mark, PoolReading, Reading, ServerReading};
use std::collections::BTreeMap;
use std::io;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The pool that serves requests.
pub(crate) const WORKERS: &str = "workers";

/// Names of figures: the first one that is there counts.
type Names = &'static [&'static str];

const CPU_SECONDS: Names = &["process_cpu_seconds_total"];
const CPU_NANOS: Names = &["process_cpu_time_ns_total"];
const PROCESSORS: Names = &["system_cpu_count"];
const THREADS: Names = &["jvm_threads_live_threads", "jvm_threads_current"];
const HEAP_USED: Names = &["jvm_memory_used_bytes", "jvm_memory_bytes_used"];
const HEAP_COMMITTED: Names = &["jvm_memory_committed_bytes", "jvm_memory_bytes_committed"];
const HEAP_MOST: Names = &["jvm_memory_max_bytes", "jvm_memory_bytes_max"];
const COLLECTIONS: Names = &["jvm_gc_pause_seconds_count", "jvm_gc_collection_seconds_count"];
const COLLECTING: Names = &["jvm_gc_pause_seconds_sum", "jvm_gc_collection_seconds_sum"];
const CLASSES: Names = &["jvm_classes_loaded_classes", "jvm_classes_currently_loaded"];
const RESIDENT: Names = &["process_resident_memory_bytes"];
const FILES: Names = &["process_files_open_files", "process_open_fds"];
const FILES_MOST: Names = &["process_files_max_files", "process_max_fds"];
/// Pools, each with what is in use and how large it may become.
const POOLS: [(&str, Names, Names); 3] = [
    (
        WORKERS,
        &["tomcat_threads_busy_threads", "jetty_threads_busy", "tomcat_threadpool_currentthreadsbusy"],
        &["tomcat_threads_config_max_threads", "jetty_threads_config_max", "tomcat_threadpool_maxthreads"],
    ),
    (
        "database",
        &["hikaricp_connections_active", "jdbc_connections_active"],
        &["hikaricp_connections_max", "jdbc_connections_max"],
    ),
    ("executor", &["executor_active_threads"], &["executor_pool_max_threads"]),
];

/// The figures of one moment.
#[derive(Debug, Default)]
pub(crate) struct Told<'a> {
    /// Name, labels and value of each line.
    samples: Vec<(&'a str, &'a str, f64)>,
}

impl<'a> Told<'a> {
    /// Reads the lines of a text; what is none is passed over.
    pub(crate) fn parse(text: &'a str) -> Self {
        let sample = |line: &'a str| {
            let line = line.trim();
            let end = line.find(['{', ' ']).filter(|_| !line.starts_with('#'))?;
            let (name, rest) = line.split_at(end);
            let (labels, value) = match rest.strip_prefix('{') {
                // A label may have a brace in its text, a value may not.
                Some(rest) => rest.rsplit_once('}')?,
                None => ("", rest),
            };
            Some((name, labels, value.split_whitespace().next()?.parse().ok()?))
        };
        Self { samples: text.lines().filter_map(sample).collect() }
    }

    /// The sum of the lines of the first of these names that is there, of those whose labels have `label`.
    fn sum(&self, names: Names, label: &str) -> Option<f64> {
        names.iter().find_map(|name| {
            let of_name = self.samples.iter().filter(|(known, labels, value)| {
                known == name && labels.contains(label) && value.is_finite() && *value >= 0.0
            });
            of_name.map(|(_, _, value)| *value).reduce(|sum, value| sum + value)
        })
    }

    fn count(&self, names: Names, label: &str) -> Option<u64> {
        self.sum(names, label).map(|value| value as u64)
    }

    fn cpu(&self) -> Option<Nanos> {
        let seconds = self.sum(CPU_SECONDS, "").map(Nanos::from_secs_f64);
        seconds.or_else(|| self.count(CPU_NANOS, "").map(Nanos))
    }

    fn pools(&self) -> BTreeMap<String, PoolReading> {
        let pool = |(name, busy, most): (&str, Names, Names)| {
            Some((name.to_owned(), PoolReading { busy: self.count(busy, "")?, most: self.count(most, "") }))
        };
        POOLS.into_iter().filter_map(pool).collect()
    }

    /// As a reading of the server; what is not told stays unknown.
    pub(crate) fn reading(&self) -> ServerReading {
        let heap = |names| self.count(names, "area=\"heap\"").map(Bytes);
        let jvm = heap(HEAP_USED).map(|used| JvmTotals {
            gc_count: self.count(COLLECTIONS, "").unwrap_or(0),
            gc_time: self.sum(COLLECTING, "").map(Nanos::from_secs_f64).unwrap_or_default(),
            heap_used: Some(used),
            heap_capacity: heap(HEAP_COMMITTED),
            classes: self.count(CLASSES, ""),
            threads: self.count(THREADS, ""),
            ..JvmTotals::default()
        });
        ServerReading {
            holdings: Holdings {
                memory: Bytes(self.count(RESIDENT, "").unwrap_or(0)),
                threads: self.count(THREADS, "").unwrap_or(0),
                open_files: self.count(FILES, "").unwrap_or(0),
                open_files_limit: self.count(FILES_MOST, ""),
            },
            times: self.cpu().map(|user| CpuTimes { user, kernel: Nanos(0) }),
            jvm,
            pools: self.pools(),
            ..ServerReading::default()
        }
    }

    /// As settings in effect; what is not told stays unknown.
    pub(crate) fn effective(&self) -> Effective {
        let info = self.samples.iter().find(|(name, ..)| matches!(*name, "jvm_info" | "jvm_runtime_info"));
        let label = |key: &str| {
            let (_, after) = info?.1.split_once(&format!("{key}=\""))?;
            Some(after.split_once('"')?.0.to_owned())
        };
        Effective {
            max_threads: self.pools().get(WORKERS).and_then(|pool| pool.most),
            jdk: label("version"),
            heap: self.count(HEAP_MOST, "area=\"heap\"").filter(|most| *most > 0).map(Bytes),
            processors: self.count(PROCESSORS, ""),
            ..Effective::default()
        }
    }
}

/// Gets the text of the figures.
pub(crate) type Ask = Box<dyn Fn() -> io::Result<String> + Send>;

/// A thread that asks for the figures while the server is loaded.
pub(crate) struct MetricsWatch {
    tell: Sender<(Mark, u64)>,
    thread: JoinHandle<Vec<Reading>>,
}

impl MetricsWatch {
    /// Starts the thread; `None` where there can be none.
    pub(crate) fn start(ask: Ask, period: Duration) -> Option<Self> {
        let (tell, marks) = mpsc::channel();
        let thread = thread::Builder::new().name("metrics".to_owned());
        let thread = thread.spawn(move || watch(&ask, &marks, period)).ok()?;
        Some(Self { tell, thread })
    }

    /// Notes a moment of a slice with its time in nanoseconds since the epoch.
    pub(crate) fn mark(&self, mark: Mark, at_ns: u64) {
        // If the thread has ended, `finish` returns what it has read.
        let _ = self.tell.send((mark, at_ns));
    }

    /// Ends the thread and returns its readings.
    pub(crate) fn finish(self) -> Vec<Reading> {
        drop(self.tell);
        self.thread.join().unwrap_or_default()
    }
}

/// Asks once in each period, whatever the length of the slices: an answer costs the server some milliseconds.
fn watch(ask: &Ask, marks: &Receiver<(Mark, u64)>, period: Duration) -> Vec<Reading> {
    let mut readings = Vec::new();
    // While the server is loaded: the time of the last moment, and when we learned of it.
    let mut loaded: Option<(u64, Instant)> = None;
    let mut due = Instant::now();
    loop {
        let next = match loaded {
            Some(_) => marks.recv_timeout(due.saturating_duration_since(Instant::now())),
            None => marks.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match next {
            Ok((mark, at_ns)) => loaded = (mark != Mark::Ends).then(|| (at_ns, Instant::now())),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return readings,
        }
        let Some((at_ns, told)) = loaded.filter(|_| Instant::now() >= due) else { continue };
        due = Instant::now() + period;
        if let Ok(text) = ask() {
            let server = Some(Told::parse(&text).reading());
            let at_ns = at_ns + Nanos::from(told.elapsed()).0;
            readings.push(Reading { at_ns, mark: Mark::Within, servers: vec![server], ..Reading::default() });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of `/actuator/prometheus` of Spring Boot 3.5 with Tomcat and Hikari.
    const MICROMETER: &str = "# HELP jvm_info JVM version info\n# TYPE jvm_info gauge\n\
        jvm_info{runtime=\"OpenJDK Runtime Environment\",vendor=\"Debian\",version=\"17.0.19+10-1\"} 1\n\
        process_cpu_time_ns_total 2.5E9\nsystem_cpu_count 2.0\njvm_threads_live_threads 34.0\n\
        jvm_memory_used_bytes{area=\"heap\",id=\"G1 Eden Space\"} 2.0E7\njvm_memory_used_bytes{area=\"heap\",id=\"G1 Old Gen\"} 3.0E7\n\
        jvm_memory_used_bytes{area=\"nonheap\",id=\"Metaspace\"} 5.0E7\njvm_memory_max_bytes{area=\"heap\",id=\"G1 Eden Space\"} -1.0\n\
        jvm_memory_max_bytes{area=\"heap\",id=\"G1 Old Gen\"} 2.68435456E8\n\
        jvm_gc_pause_seconds_count{action=\"end of minor GC\",cause=\"G1 Evacuation Pause\",gc=\"G1 Young Generation\"} 4\n\
        jvm_gc_pause_seconds_sum{action=\"end of minor GC\",cause=\"a } b\",gc=\"G1 Young Generation\"} 0.25\n\
        tomcat_threads_busy_threads{name=\"http-nio-8080\"} 20.0\ntomcat_threads_config_max_threads{name=\"http-nio-8080\"} 20.0\n\
        hikaricp_connections_active{pool=\"HikariPool-1\"} 3.0\nhikaricp_connections_max{pool=\"HikariPool-1\"} 10.0\n";

    #[test]
    fn micrometer_tells_cpu_heap_threads_and_pools() {
        let told = Told::parse(MICROMETER);
        let reading = told.reading();
        let jvm = reading.jvm.expect("a JVM");
        assert_eq!(reading.times.expect("CPU").user, Nanos::from_millis(2500));
        assert_eq!((jvm.heap_used, jvm.heap_capacity), (Some(Bytes(50_000_000)), None));
        assert_eq!((jvm.gc_count, jvm.gc_time, jvm.threads), (4, Nanos::from_millis(250), Some(34)));
        assert_eq!(reading.pools["workers"], PoolReading { busy: 20, most: Some(20) });
        assert_eq!(reading.pools["database"], PoolReading { busy: 3, most: Some(10) });
        let effective = told.effective();
        assert_eq!((effective.max_threads, effective.processors), (Some(20), Some(2)));
        assert_eq!(
            (effective.jdk.as_deref(), effective.heap),
            (Some("17.0.19+10-1"), Some(Bytes(256 << 20)))
        );
        assert_eq!(effective.max_connections, None, "nobody tells");
    }

    #[test]
    fn the_client_of_prometheus_has_other_names_and_another_text_none() {
        let told = Told::parse(
            "process_cpu_seconds_total 1.5\njvm_threads_current 9.0\njvm_memory_bytes_used{area=\"heap\",} 1000.0\n\
             process_open_fds 33.0\nprocess_max_fds 1024.0\njvm_gc_collection_seconds_count{gc=\"Copy\",} 7.0 1395066363000\n",
        );
        let reading = told.reading();
        assert_eq!(reading.times.expect("CPU").user, Nanos::from_millis(1500));
        assert_eq!(reading.jvm.expect("a JVM").gc_count, 7);
        assert_eq!((reading.holdings.open_files, reading.holdings.open_files_limit), (33, Some(1024)));
        let nothing = Told::parse("<html>{}</html>\n\n{\n} x\nname NaN\nname_only\n");
        assert_eq!((nothing.reading(), nothing.effective()), Default::default());
    }

    #[test]
    fn figures_are_asked_for_only_while_the_server_is_loaded_and_once_in_a_period() {
        let period = Duration::from_millis(60);
        let ask = || Ok("jvm_threads_current 9.0\n".to_owned());
        let watch = MetricsWatch::start(Box::new(ask), period).expect("a thread");
        thread::sleep(2 * period);
        for at_ns in 1..=20 {
            watch.mark(if at_ns % 2 == 1 { Mark::Loads } else { Mark::Begins }, at_ns);
            thread::sleep(period / 10);
        }
        watch.mark(Mark::Ends, 21);
        thread::sleep(2 * period);
        let readings = watch.finish();
        assert!((1..=6).contains(&readings.len()), "twenty moments in two periods: {}", readings.len());
        assert!(readings.iter().all(|reading| reading.mark == Mark::Within));
    }
}
