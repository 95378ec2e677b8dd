//! Parses the stacks of a profile, and names them so that two starts, and two servers, can be compared.

use model::units::Seconds;
use record::cpu_profile::JvmPart;
use record::inspection::CpuStack;
use std::collections::BTreeMap;

/// The ends of the names of Java methods: interpreted, compiled by C1, compiled, inlined.
const METHODS: [&str; 4] = ["_[0]", "_[1]", "_[j]", "_[i]"];
/// The beginnings of the names of threads that compile.
const COMPILERS: [&str; 4] = ["C1 Compiler", "C2 Compiler", "JVMCI Compiler", "JVMCI-native"];
/// The beginnings of the names of threads that collect garbage: Serial has none, then Parallel, G1, CMS, ZGC, Shenandoah.
const COLLECTORS: [&str; 14] = [
    "GC Thread",
    "GC task thread",
    "ParGC",
    "G1 ",
    "Gang worker",
    "Concurrent Mark",
    "ZWorker",
    "ZDriver",
    "ZDirector",
    "ZStat",
    "ZUncommit",
    "ZUnmapper",
    "XWorker",
    "Shenandoah",
];
/// The beginnings of the names of the JVM's other threads.
const MACHINE: [&str; 9] = [
    "VM Thread",
    "VM Periodic",
    "Service Thread",
    "Monitor Defla",
    "Signal Dispat",
    "Sweeper",
    "Notification Th",
    "Attach Listen",
    "StringDedup",
];
/// Parts of the names of functions by which the JVM's main thread collects garbage.
const COLLECTING: [&str; 4] = ["Collect", "GC", "MarkSweep", "DefNew"];
/// What comes before a number that is another one in every start: of lambdas, proxies and accessors that the JDK makes while it runs.
const NUMBERED: [&str; 4] = ["$$Lambda$", "$Proxy", "MethodAccessor", "ConstructorAccessor"];

/// The stacks of a profile whose lines are `[thread tid=7];frame;frame 12`, where the last number counts the samples of
/// the stack; `cpu` is divided among the samples. Lines that are different are left out.
pub(super) fn parse(text: &str, cpu: Seconds) -> Vec<CpuStack> {
    let mut samples: BTreeMap<Vec<String>, u64> = BTreeMap::new();
    for line in text.lines() {
        let Some((stack, count)) = line.rsplit_once(' ') else {
            continue;
        };
        if let Ok(count) = count.parse::<u64>() {
            *samples.entry(frames(stack)).or_default() += count;
        }
    }
    let all: u64 = samples.values().sum();
    let of_one = cpu / all.max(1) as f64;
    let stack = |(frames, count): (Vec<String>, u64)| CpuStack { frames, seconds: of_one * count as f64 };
    samples.into_iter().map(stack).collect()
}

/// The frames of a stack, outermost first, without its thread.
fn frames(stack: &str) -> Vec<String> {
    let (thread, rest) = match stack.split_once("];") {
        Some((thread, rest)) if thread.starts_with('[') && thread.contains("tid=") => (thread, rest),
        _ => ("", stack),
    };
    let name = thread.trim_start_matches('[').split(" tid=").next().unwrap_or_default();
    let frames: Vec<String> = rest.split(';').map(frame).collect();
    match part(name, rest) {
        Some(part) => vec![part.frame().to_owned()],
        None => frames,
    }
}

/// Which part of the JVM a thread is; `None` for one that runs Java, or that a native library has started.
fn part(thread: &str, frames: &str) -> Option<JvmPart> {
    let is_method = |frame: &str| METHODS.iter().any(|end| frame.ends_with(end));
    if frames.split(';').any(is_method) {
        return None;
    }
    let is_one_of = |names: &[&str]| names.iter().any(|name| thread.starts_with(name));
    if is_one_of(&COMPILERS) {
        Some(JvmPart::Compiler)
    } else if is_one_of(&COLLECTORS) {
        Some(JvmPart::Collector)
    } else if is_one_of(&MACHINE) {
        let collects = thread.starts_with("VM Thread") && COLLECTING.iter().any(|part| frames.contains(part));
        Some(if collects { JvmPart::Collector } else { JvmPart::Machine })
    } else {
        None
    }
}

/// The name of a frame.
fn frame(name: &str) -> String {
    if let Some(method) = METHODS.iter().find_map(|end| name.strip_suffix(end)) {
        return steady(method);
    }
    if name.ends_with(CpuStack::KERNEL) {
        return name.to_owned();
    }
    if name.starts_with('[') && name.ends_with(']') {
        return JvmPart::Unknown.frame().to_owned();
    }
    format!("{name}{}", CpuStack::NATIVE)
}

/// The name of a method without what is different in every start, with points between its parts.
fn steady(method: &str) -> String {
    let mut name = without_addresses(method).replace('/', ".");
    for before in NUMBERED {
        if let Some(at) = name.find(before) {
            let number = at + before.len();
            let digits = name[number..].bytes().take_while(u8::is_ascii_digit).count();
            name.replace_range(number..number + digits, "");
        }
    }
    name.replace("$$Lambda$.", "$$Lambda.")
}

/// The name without the addresses of hidden classes: `a/B$$Lambda.0x00007f01.run` is `a/B$$Lambda.run`.
fn without_addresses(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some((at, _)) = rest.match_indices("0x").find(|(at, _)| rest[..*at].ends_with(['.', '/', '+']))
    {
        out.push_str(&rest[..at - 1]);
        rest = rest[at + 2..].trim_start_matches(|c: char| c.is_ascii_hexdigit());
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(line: &str) -> String {
        let stacks = parse(line, Seconds(1.0));
        assert_eq!(stacks.len(), 1, "{line}");
        stacks[0].frames.join(" ")
    }

    #[test]
    fn methods_functions_and_the_kernel_keep_their_kind() {
        let line = "[http-nio-8080-exec-1 tid=812];start_thread;java/lang/Thread.run_[j];shop/Cart.total_[i];shop/Cart.add_[0];\
                    write;do_syscall_64_[k];tcp_sendmsg_[k] 12";
        assert_eq!(
            one(line),
            "start_thread_[n] java.lang.Thread.run shop.Cart.total shop.Cart.add write_[n] do_syscall_64_[k] tcp_sendmsg_[k]"
        );
        let line = "[exec-2 tid=9];java/lang/Thread.run_[1];std::map<int, long>::find 3";
        assert_eq!(one(line), "java.lang.Thread.run std::map<int, long>::find_[n]");
        assert_eq!(one("[exec-2 tid=9];[unknown_Java] 3"), "[unknown]");
    }

    #[test]
    fn threads_of_the_jvm_are_parts_of_it() {
        for (line, part) in [
            ("[C2 CompilerThre tid=5];start_thread;Compile::Compile 9", "[compiler]"),
            ("[GC Thread#0 tid=6];start_thread;G1ParScanThreadState::copy 9", "[collector]"),
            ("[G1 Conc#0 tid=6];clone3 9", "[collector]"),
            ("[VM Thread tid=7];VMThread::run;VM_GenCollectForAllocation::doit 9", "[collector]"),
            ("[VM Thread tid=7];VMThread::run;SafepointSynchronize::begin 9", "[JVM]"),
            ("[VM Periodic Tas tid=7];pthread_cond_wait 9", "[JVM]"),
            ("[GC Thread report tid=7];shop/Report.run_[j] 9", "shop.Report.run"),
            ("[zlib-worker tid=8];deflate 9", "deflate_[n]"),
            ("[tid=8];deflate 9", "deflate_[n]"),
        ] {
            assert_eq!(one(line), part, "{line}");
        }
    }

    #[test]
    fn equal_stacks_of_several_threads_are_one_and_share_the_cpu_time() {
        let text =
            "[exec-1 tid=1];a/B.c_[j] 2\n[exec-2 tid=2];a/B.c_[0] 4\n[exec-2 tid=2];a/B.d_[j] 2\nnonsense\n";
        let stacks = parse(text, Seconds(4.0));
        let found: Vec<(&str, f64)> =
            stacks.iter().map(|one| (one.frames[0].as_str(), one.seconds.0)).collect();
        assert_eq!(found, [("a.B.c", 3.0), ("a.B.d", 1.0)]);
        assert!(parse("", Seconds(4.0)).is_empty());
    }

    #[test]
    fn names_that_change_from_start_to_start_do_not() {
        for (frame, name) in [
            ("a/B$$Lambda.0x00007f0124c03000.run_[j]", "a.B$$Lambda.run"),
            ("a/B$$Lambda/0x0000000800c03a.run_[j]", "a.B$$Lambda.run"),
            ("a/B$$Lambda$14/0x0000000800c03a.run_[j]", "a.B$$Lambda.run"),
            ("a/B$$Lambda$14.run_[j]", "a.B$$Lambda.run"),
            (
                "java/lang/invoke/LambdaForm$MH.0x000000080014c400.invoke_[i]",
                "java.lang.invoke.LambdaForm$MH.invoke",
            ),
            ("com/sun/proxy/$Proxy21.find_[j]", "com.sun.proxy.$Proxy.find"),
            (
                "jdk/internal/reflect/GeneratedMethodAccessor7.invoke_[j]",
                "jdk.internal.reflect.GeneratedMethodAccessor.invoke",
            ),
            ("a/Hex0xCafe.run_[j]", "a.Hex0xCafe.run"),
        ] {
            assert_eq!(super::frame(frame), name, "{frame}");
        }
    }
}
