//! Tests of what the kernel does on a full CPU, and of the patterns and values on which Java code spends it.

use super::tests::{Scene, numbers};
use crate::profile::tests::Look;
use model::units::{Bytes, Count, Nanos};
use record::finding::{CpuUse, CpuWork, Remedy};
use record::inspection::{Inspection, IoCalls, StackSeen, ThreadState};
use record::outcome::Diagnosis;
use record::telemetry::{CpuTimes, GroupTotals};

/// A row of a table is written and flushed.
const ROW: [&str; 6] = [
    "sun.nio.ch.SocketDispatcher.write0",
    "sun.nio.ch.SocketDispatcher.write",
    "org.apache.tomcat.util.net.NioChannel.write",
    "java.io.PrintWriter.println",
    "shop.Export.write",
    "shop.ExportServlet.doGet",
];
const LINE: [&str; 4] = [
    "java.io.FileOutputStream.writeBytes",
    "java.io.FileOutputStream.write",
    "shop.Audit.add",
    "shop.Order.get",
];
const EXISTS: [&str; 3] =
    ["sun.nio.fs.UnixNativeDispatcher.stat0", "java.nio.file.Files.exists", "shop.Assets.find"];
const BYTE: [&str; 3] =
    ["java.io.RandomAccessFile.read0", "java.io.RandomAccessFile.read", "shop.Index.find"];
const PRICES: [&str; 2] = ["java.util.HashMap.get", "shop.Prices.of"];

/// A full CPU; the kernel takes this share of the server's.
fn full(kernel: f64) -> Scene {
    Scene::healthy().load(16, 500, 0.8).seen(2, move |server| {
        for (name, millis) in [("JIT", 50), ("GC", 30), ("workers", 920)] {
            let group = GroupTotals { cpu: Nanos::from_millis(millis), ..GroupTotals::default() };
            server.groups.insert(name.to_owned(), group);
        }
        let [user, kernel] = [1.0 - kernel, kernel].map(Nanos::from_secs_f64);
        server.times = Some(CpuTimes { user, kernel });
    })
}

/// Sixteen threads of requests: so many are within each of these native methods, and the others run. A thousand requests were answered.
fn within(calls: &[(f64, &[&str])]) -> Inspection {
    let others = 16.0 - calls.iter().map(|(threads, _)| threads).sum::<f64>();
    let mut look = Look::at(16.0, 1000);
    for (threads, frames) in calls {
        look = look.in_state(*threads, ThreadState::Runnable, frames);
    }
    look.stacks().iter_mut().for_each(native);
    look.in_state(others, ThreadState::Runnable, &PRICES).inspection()
}

/// The innermost method is native.
fn native(stack: &mut StackSeen) {
    stack.lines = (0..).take(stack.frames.len()).collect();
}

/// The calls of a process that makes this number of writes, of this number of bytes each, for each of a thousand requests.
fn written(inspection: Inspection, writes: u64, each: u64) -> Inspection {
    let (writes, written) = (1000 * writes, Bytes(1000 * writes * each));
    Inspection { calls: Some(IoCalls { writes, written, ..IoCalls::default() }), ..inspection }
}

fn uses(found: Diagnosis) -> Vec<CpuUse> {
    numbers!(found, ServerCpuSaturated).uses
}

fn works(scene: &Scene) -> Vec<CpuWork> {
    uses(scene.first()).into_iter().filter_map(|one| one.work).collect()
}

#[test]
fn rows_that_are_flushed_one_by_one_are_told_with_their_number_and_their_method() {
    let scene = full(0.6).looked_at(written(within(&[(12.0, &ROW)]), 214, 58));
    let found = scene.first();
    assert_eq!(found.cause().id(), "server-cpu-saturated");
    assert!(!found.expected, "{found:?}");
    let Remedy::SpareWork { work, method, times } = &found.remedy else { panic!("{found:?}") };
    assert_eq!((*work, method.as_deref()), (Some(CpuWork::SocketWrites), Some("shop.Export.write:4")));
    assert!(*times > 1.5, "{times}");
    let uses = uses(found);
    let flushed = uses.iter().find(|one| one.work == Some(CpuWork::SocketWrites)).expect("told");
    let pieces = flushed.pieces.expect("small ones");
    assert_eq!((pieces.per_request, pieces.each), (Count(214.0), Bytes(58)));
    assert!((flushed.share.0 - 0.6).abs() < 1e-9, "{flushed:?}");
    assert_eq!(flushed.at.caller.as_deref(), Some("shop.ExportServlet.doGet:5"));
}

#[test]
fn an_answer_that_is_written_at_once_is_no_fault_however_much_of_the_kernel_it_takes() {
    let none: [CpuWork; 0] = [];
    let looked = |kernel, inspection| full(kernel).looked_at(inspection);
    let one = looked(0.8, written(within(&[(12.0, &ROW)]), 2, 900));
    assert_eq!(works(&one), none);
    assert!(one.first().expected && one.first().remedy.accepts(), "{:?}", one.first());
    let large = looked(0.8, written(within(&[(12.0, &ROW)]), 80, 65_536));
    assert_eq!(works(&large), none, "five megabytes");
    let little = looked(0.05, written(within(&[(12.0, &ROW)]), 214, 58));
    assert_eq!(works(&little), none, "the kernel does little");
    assert_eq!(works(&looked(0.6, within(&[(12.0, &ROW)]))), none, "nobody has counted");
    let few = written(within(&[(1.0, &ROW)]), 214, 58);
    assert_eq!(works(&looked(0.6, few)), none, "ten threads show nothing");
    let mut events = looked(0.6, written(within(&[(12.0, &ROW)]), 214, 58));
    events.experiment.design.streams = true;
    assert_eq!(works(&events), none, "events leave one by one");
}

#[test]
fn lines_of_a_file_are_told_apart_from_the_answer_beside_them() {
    // Ten lines of a log without a buffer, and one answer.
    let inspection = written(within(&[(11.0, &LINE), (1.1, &ROW)]), 11, 120);
    let found = full(0.6).looked_at(inspection).first();
    let uses = uses(found);
    let told: Vec<_> =
        uses.iter().filter_map(|one| Some((one.work?, one.pieces?.per_request.0.round()))).collect();
    assert_eq!(told, [(CpuWork::FileWrites, 10.0)]);
}

#[test]
fn files_that_are_looked_up_or_read_in_each_request_are_told() {
    let scene = full(0.5).looked_at(within(&[(12.0, &EXISTS)]));
    assert_eq!(works(&scene), [CpuWork::FileNames]);
    assert!(!scene.first().expected, "{:?}", scene.first());
    let reads = |reads: u64, each: u64| {
        let calls = IoCalls { reads: 1000 * reads, read: Bytes(1000 * reads * each), ..IoCalls::default() };
        full(0.5).looked_at(Inspection { calls: Some(calls), ..within(&[(12.0, &BYTE)]) })
    };
    assert_eq!(works(&reads(400, 1)), [CpuWork::FileReads]);
    assert!(works(&reads(3, 1)).is_empty() && works(&reads(400, 8192)).is_empty());
}

/// A full CPU on which all threads run in these methods, and a thread in `other` ones.
fn running(frames: &[&str], other: &[&str]) -> Scene {
    let look = Look::at(17.0, 1000).in_state(16.0, ThreadState::Runnable, frames);
    full(0.0).looked_at(look.in_state(1.0, ThreadState::Runnable, other).inspection())
}

fn first_use(scene: &Scene) -> CpuUse {
    uses(scene.first()).into_iter().next().expect("a use")
}

#[test]
fn a_pattern_is_told_by_its_shape() {
    let matching = |nodes: &[&str]| {
        let nodes = nodes.iter().map(|node| format!("java.util.regex.{node}"));
        let frames: Vec<String> = nodes.chain(["shop.Bodies.tidy".to_owned()]).collect();
        let frames: Vec<&str> = frames.iter().map(String::as_str).collect();
        first_use(&running(&frames, &PRICES)).work
    };
    let ends =
        ["Pattern$CharPropertyGreedy.match", "Pattern$Branch.match", "Pattern$Start.match", "Matcher.find"];
    assert_eq!(matching(&ends), Some(CpuWork::RegexFromEachPlace));
    let nested = ["Pattern$BmpCharPropertyGreedy.match", "Pattern$Loop.match", "Matcher.matches"];
    assert_eq!(matching(&nested), Some(CpuWork::RegexNested));
    assert_eq!(
        matching(&["Pattern$Slice.match", "Pattern$Start.match", "Matcher.find"]),
        Some(CpuWork::RegexMatch)
    );
}

#[test]
fn what_a_cache_gives_and_each_request_parses_is_told_apart_from_other_values() {
    let parses =
        ["com.fasterxml.jackson.databind.ObjectMapper.readTree", "shop.Toggles.isOn", "shop.Header.doGet"];
    let asks = |method| ["sun.nio.ch.SocketDispatcher.read0", "redis.clients.jedis.Jedis.get", method];
    let found = running(&parses, &asks("shop.Toggles.isOn"));
    assert_eq!(first_use(&found).work, Some(CpuWork::CachedParse));
    assert!(matches!(found.first().remedy, Remedy::SpareWork { work: Some(CpuWork::CachedParse), .. }));
    let elsewhere = running(&parses, &asks("shop.Sessions.find"));
    assert_eq!(first_use(&elsewhere).work, Some(CpuWork::Serialisation));
    let template =
        [parses[0], "org.springframework.data.redis.core.RedisTemplate.execute", "shop.Carts.find"];
    assert_eq!(first_use(&running(&template, &PRICES)).work, Some(CpuWork::CachedParse));
    assert!((first_use(&found).share.0 - 0.92).abs() < 1e-9, "all of the Java code: {:?}", first_use(&found));
}
