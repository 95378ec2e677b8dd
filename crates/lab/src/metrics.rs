//! Figures that a server tells of itself in the text format of Prometheus: those of Micrometer (Spring Boot, Quarkus) and of the Java client of
//! Prometheus (its exporter of JMX, too).

mod collected;
mod page;
mod source;
mod watch;

pub(crate) use source::ToldAt;
pub(crate) use watch::MetricsWatch;

use ask::observed::ToldFigure;
use model::units::{Bytes, Nanos};
use record::outcome::Effective;
use record::telemetry::{CpuTimes, DATABASE, Holdings, JvmTotals, PoolReading, ServerReading, WORKERS};
use std::collections::BTreeMap;

/// Names of figures: the first one that is there counts.
type Names = &'static [&'static str];

const CPU_SECONDS: Names = &["process_cpu_seconds_total"];
const CPU_NANOS: Names = &["process_cpu_time_ns_total"];
/// The share of its processors that it has used lately.
const CPU_USAGE: Names = &["process_cpu_usage"];
const PROCESSORS: Names = &["system_cpu_count", "java_lang_OperatingSystem_AvailableProcessors"];
const JVM_THREADS: Names = &["jvm_threads_live_threads", "jvm_threads_current"];
const HEAP_USED: Names = &["jvm_memory_used_bytes", "jvm_memory_bytes_used"];
const HEAP_COMMITTED: Names = &["jvm_memory_committed_bytes", "jvm_memory_bytes_committed"];
const HEAP_MOST: Names = &["jvm_memory_max_bytes", "jvm_memory_bytes_max"];
/// What is left of old objects after a collection of them.
const HEAP_LIVE: Names = &["jvm_gc_live_data_size_bytes"];
const COLLECTIONS: Names = &["jvm_gc_pause_seconds_count", "jvm_gc_collection_seconds_count"];
const COLLECTING: Names = &["jvm_gc_pause_seconds_sum", "jvm_gc_collection_seconds_sum"];
const CLASSES: Names = &["jvm_classes_loaded_classes", "jvm_classes_currently_loaded"];
const RESIDENT: Names = &["process_resident_memory_bytes"];
const FILES: Names = &["process_files_open_files", "process_open_fds"];
const FILES_MOST: Names = &["process_files_max_files", "process_max_fds"];
const JVM_INFO: Names = &["jvm_info", "jvm_runtime_info"];
/// The last two are those of the exporter of JMX without rules of its user, for a standalone and for an embedded Tomcat.
const THREADS: Names = &[
    "tomcat_threads_busy_threads",
    "jetty_threads_busy",
    "tomcat_threadpool_currentthreadsbusy",
    "Catalina_ThreadPool_currentThreadsBusy",
    "Tomcat_ThreadPool_currentThreadsBusy",
];
const THREADS_MOST: Names = &[
    "tomcat_threads_config_max_threads",
    "jetty_threads_config_max",
    "tomcat_threadpool_maxthreads",
    "Catalina_ThreadPool_maxThreads",
    "Tomcat_ThreadPool_maxThreads",
];
const CONNECTIONS: Names = &["hikaricp_connections_active", "jdbc_connections_active"];
const CONNECTIONS_MOST: Names = &["hikaricp_connections_max", "jdbc_connections_max"];
const CONNECTIONS_WAITING: Names = &["hikaricp_connections_pending"];
const EXECUTOR: Names = &["executor_active_threads"];
const EXECUTOR_MOST: Names = &["executor_pool_max_threads"];
const NONE: Names = &[];

/// All names that are read.
const ALL: [Names; 23] = [
    CPU_SECONDS,
    CPU_NANOS,
    CPU_USAGE,
    PROCESSORS,
    JVM_THREADS,
    HEAP_USED,
    HEAP_COMMITTED,
    HEAP_MOST,
    HEAP_LIVE,
    COLLECTIONS,
    COLLECTING,
    CLASSES,
    RESIDENT,
    FILES,
    FILES_MOST,
    JVM_INFO,
    THREADS,
    THREADS_MOST,
    CONNECTIONS,
    CONNECTIONS_MOST,
    CONNECTIONS_WAITING,
    EXECUTOR,
    EXECUTOR_MOST,
];

/// Pools, each with what is in use, how large it may become, and who waits for it.
const POOLS: [(&str, Names, Names, Names); 3] = [
    (WORKERS, THREADS, THREADS_MOST, NONE),
    (DATABASE, CONNECTIONS, CONNECTIONS_MOST, CONNECTIONS_WAITING),
    ("executor", EXECUTOR, EXECUTOR_MOST, NONE),
];

/// The label of figures about the heap.
const OF_HEAP: &str = "area=\"heap\"";

/// The names of a figure, and the label that they have.
const fn names_of(figure: ToldFigure) -> (Names, &'static str) {
    match figure {
        ToldFigure::CpuSeconds => (CPU_SECONDS, ""),
        ToldFigure::Processors => (PROCESSORS, ""),
        ToldFigure::Heap => (HEAP_USED, OF_HEAP),
        ToldFigure::HeapMost => (HEAP_MOST, OF_HEAP),
        ToldFigure::GcSeconds => (COLLECTING, ""),
        ToldFigure::GcCount => (COLLECTIONS, ""),
        ToldFigure::Threads => (THREADS, ""),
        ToldFigure::ThreadsMost => (THREADS_MOST, ""),
        ToldFigure::Connections => (CONNECTIONS, ""),
        ToldFigure::ConnectionsMost => (CONNECTIONS_MOST, ""),
        ToldFigure::ConnectionsWaiting => (CONNECTIONS_WAITING, ""),
        ToldFigure::Memory => (RESIDENT, ""),
    }
}

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
        let pool = |(name, busy, most, waiting): (&str, Names, Names, Names)| {
            let count = |names| self.count(names, "");
            let busy = count(busy)?;
            Some((name.to_owned(), PoolReading { busy, most: count(most), waiting: count(waiting) }))
        };
        POOLS.into_iter().filter_map(pool).collect()
    }

    /// CPUs in use lately, and how many there are; `None` where it does not tell one of them.
    fn cpus_lately(&self) -> Option<f64> {
        Some(self.sum(CPU_USAGE, "")? * self.sum(PROCESSORS, "")?)
    }

    /// As a reading of the server; what is not told stays unknown. The heap in use is what is left after a collection where that is told.
    pub(crate) fn reading(&self) -> ServerReading {
        let heap = |names| self.count(names, OF_HEAP).map(Bytes);
        let live = self.count(HEAP_LIVE, "").filter(|live| *live > 0).map(Bytes);
        let jvm = live.or(heap(HEAP_USED)).map(|used| JvmTotals {
            gc_count: self.count(COLLECTIONS, "").unwrap_or(0),
            gc_time: self.sum(COLLECTING, "").map(Nanos::from_secs_f64).unwrap_or_default(),
            heap_used: Some(used),
            heap_capacity: heap(HEAP_COMMITTED),
            classes: self.count(CLASSES, ""),
            threads: self.count(JVM_THREADS, ""),
            ..JvmTotals::default()
        });
        ServerReading {
            holdings: Holdings {
                memory: Bytes(self.count(RESIDENT, "").unwrap_or(0)),
                threads: self.count(JVM_THREADS, "").unwrap_or(0),
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
        let info = self.samples.iter().find(|(name, ..)| JVM_INFO.contains(name));
        let label = |key: &str| {
            let (_, after) = info?.1.split_once(&format!("{key}=\""))?;
            Some(after.split_once('"')?.0.to_owned())
        };
        Effective {
            max_threads: self.pools().get(WORKERS).and_then(|pool| pool.most),
            jdk: label("version"),
            heap: self.count(HEAP_MOST, OF_HEAP).filter(|most| *most > 0).map(Bytes),
            processors: self.count(PROCESSORS, ""),
            ..Effective::default()
        }
    }
}

/// Adds up the CPU time of a server that tells only how much it uses.
#[derive(Debug, Default)]
struct CpuAddedUp {
    /// The time of the last reading, in nanoseconds since the epoch.
    last_ns: Option<u64>,
    total: f64,
}

impl CpuAddedUp {
    /// As a reading at this time, in nanoseconds since the epoch. A server that tells no CPU time has used since its last reading what it says
    /// that it uses.
    fn reading(&mut self, told: &Told<'_>, at_ns: u64) -> ServerReading {
        let mut reading = told.reading();
        if let (None, Some(cpus)) = (reading.times, told.cpus_lately()) {
            let passed = at_ns.saturating_sub(self.last_ns.replace(at_ns).unwrap_or(at_ns));
            self.total += cpus * passed as f64;
            reading.times = Some(CpuTimes { user: Nanos(self.total as u64), kernel: Nanos(0) });
        }
        reading
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
        hikaricp_connections_active{pool=\"HikariPool-1\"} 3.0\nhikaricp_connections_max{pool=\"HikariPool-1\"} 10.0\n\
        hikaricp_connections_pending{pool=\"HikariPool-1\"} 7.0\n";

    #[test]
    fn micrometer_tells_cpu_heap_threads_and_pools() {
        let told = Told::parse(MICROMETER);
        let reading = told.reading();
        let jvm = reading.jvm.expect("a JVM");
        assert_eq!(reading.times.expect("CPU").user, Nanos::from_millis(2500));
        assert_eq!((jvm.heap_used, jvm.heap_capacity), (Some(Bytes(50_000_000)), None));
        assert_eq!((jvm.gc_count, jvm.gc_time, jvm.threads), (4, Nanos::from_millis(250), Some(34)));
        assert_eq!(reading.pools["workers"], PoolReading { busy: 20, most: Some(20), waiting: None });
        assert_eq!(reading.pools["database"], PoolReading { busy: 3, most: Some(10), waiting: Some(7) });
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
        // As the exporter of JMX 1.0.1 writes them for Tomcat 11 without rules of its user.
        let exported = Told::parse(
            "Catalina_ThreadPool_currentThreadsBusy{name=\"\\\"http-nio-18080\\\"\"} 3.0\n\
             Catalina_ThreadPool_maxThreads{name=\"\\\"http-nio-18080\\\"\"} 200.0\njava_lang_OperatingSystem_AvailableProcessors 2.0\n",
        );
        assert_eq!(
            exported.reading().pools["workers"],
            PoolReading { busy: 3, most: Some(200), waiting: None }
        );
        assert_eq!(exported.effective().processors, Some(2));
        let nothing = Told::parse("<html>{}</html>\n\n{\n} x\nname NaN\nname_only\n");
        assert_eq!((nothing.reading(), nothing.effective()), Default::default());
    }

    #[test]
    fn a_server_that_tells_only_how_much_cpu_it_uses_is_added_up() {
        let told = |usage: f64| format!("process_cpu_usage {usage}\nsystem_cpu_count 4.0\n");
        let mut used = CpuAddedUp::default();
        let mut at = |second: u64, usage| {
            let text = told(usage);
            used.reading(&Told::parse(&text), second * 1_000_000_000).times.expect("CPU").user
        };
        assert_eq!(at(10, 0.9), Nanos(0), "what was before is not known");
        assert_eq!(at(12, 0.25), Nanos::from_millis(2000));
        assert_eq!(at(13, 1.0), Nanos::from_millis(6000));
        let mut used = CpuAddedUp::default();
        let counted = Told::parse("process_cpu_seconds_total 3.0\nprocess_cpu_usage 1\nsystem_cpu_count 4\n");
        assert_eq!(used.reading(&counted, 7).times.expect("CPU").user, Nanos::from_millis(3000));
    }
}
