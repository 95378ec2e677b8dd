//! [`CountedStack`]: a stack of a CPU profile as it is counted and drawn.

use record::cpu_profile::JvmPart;
use record::inspection::CpuStack;

/// The beginnings of the names of the JDK's own methods.
const JDK: [&str; 13] = [
    "java.",
    "jdk.",
    "sun.",
    "com.sun.",
    "javax.crypto.",
    "javax.management.",
    "javax.naming.",
    "javax.net.",
    "javax.security.",
    "javax.sql.",
    "javax.xml.",
    "org.w3c.dom.",
    "org.xml.sax.",
];

/// How many parts of a package's name tell libraries apart: `com.google.gson`.
const PACKAGE_PARTS: usize = 3;

/// A stack on which CPU time was spent.
#[derive(Debug, PartialEq)]
pub(super) struct CountedStack<'a> {
    /// The calls as they are drawn, outermost first: threads begin with their first method, and functions of the kernel are below a
    /// call of [`JvmPart::Kernel`].
    pub(super) calls: Vec<&'a str>,
    /// What its time counts for: the innermost method that is not the JDK's, or a [`JvmPart`].
    pub(super) owner: &'a str,
    /// What is shown with the owner: the innermost call, or the method that the kernel works for. `None` where it is the owner.
    pub(super) beside: Option<&'a str>,
}

impl<'a> CountedStack<'a> {
    pub(super) fn of(stack: &'a CpuStack) -> Self {
        let frames: Vec<&str> = stack.frames.iter().map(String::as_str).collect();
        let calls = drawn(&frames);
        let method = frames.iter().rev().copied().find(|frame| is_method(frame));
        let ours = frames.iter().rev().copied();
        let ours = ours.into_iter().find(|frame| is_method(frame) && !is_of_jdk(frame));
        let in_kernel = frames.last().is_some_and(|last| is_of_kernel(last));
        let part = frames.iter().find_map(|frame| JvmPart::named(frame));
        let (owner, beside) = match (ours.or(method), in_kernel) {
            (method, true) => (JvmPart::Kernel.frame(), method),
            (Some(method), false) => (method, calls.last().copied()),
            (None, false) => (part.unwrap_or(JvmPart::Native).frame(), None),
        };
        Self { calls, owner, beside: beside.filter(|beside| *beside != owner) }
    }

    /// The package of its owner, or the owner itself where that is no method.
    pub(super) fn package(&self) -> String {
        package(self.owner)
    }
}

/// The calls as they are drawn.
fn drawn<'a>(frames: &[&'a str]) -> Vec<&'a str> {
    let first = frames.iter().position(|frame| is_method(frame));
    let part = frames.iter().find_map(|frame| JvmPart::named(frame));
    let mut calls = match (first, part) {
        (Some(_), _) => Vec::new(),
        (None, Some(part)) => return vec![part.frame()],
        (None, None) => vec![JvmPart::Native.frame()],
    };
    let shown = frames.get(first.unwrap_or(0)..).unwrap_or_default();
    let mut within_kernel = false;
    for frame in shown {
        if is_of_kernel(frame) && !within_kernel {
            within_kernel = true;
            calls.push(JvmPart::Kernel.frame());
        }
        calls.push(bare(frame));
    }
    calls
}

/// Whether a frame is a Java method.
fn is_method(frame: &str) -> bool {
    bare(frame) == frame && JvmPart::named(frame).is_none()
}

fn is_of_kernel(frame: &str) -> bool {
    frame.ends_with(CpuStack::KERNEL)
}

fn is_of_jdk(method: &str) -> bool {
    JDK.iter().any(|begin| method.starts_with(begin))
}

/// The name of a frame without the end that tells whose it is.
fn bare(frame: &str) -> &str {
    let kernel = frame.strip_suffix(CpuStack::KERNEL);
    let native = || frame.strip_suffix(CpuStack::NATIVE);
    kernel.or_else(native).unwrap_or(frame)
}

/// The package of a method, shortened to what tells libraries apart; a method without a package has its class.
fn package(owner: &str) -> String {
    if JvmPart::named(owner).is_some() {
        return owner.to_owned();
    }
    let names: Vec<&str> = owner.split('.').collect();
    match names.len() {
        0..=2 => names[0].to_owned(),
        more => names[..(more - 2).min(PACKAGE_PARTS)].join("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::units::Seconds;

    fn counted(frames: &str) -> (String, String, Option<String>, String) {
        let stack =
            CpuStack { frames: frames.split(' ').map(str::to_owned).collect(), seconds: Seconds(1.0) };
        let counted = CountedStack::of(&stack);
        (
            counted.calls.join(" "),
            counted.owner.to_owned(),
            counted.beside.map(str::to_owned),
            counted.package(),
        )
    }

    #[test]
    fn time_within_the_jdk_counts_for_the_method_that_called_it() {
        let frames = "start_thread_[n] java.lang.Thread.run shop.Cart.total java.util.HashMap.get memcmp_[n]";
        let (calls, owner, beside, package) = counted(frames);
        assert_eq!(calls, "java.lang.Thread.run shop.Cart.total java.util.HashMap.get memcmp");
        assert_eq!((owner.as_str(), package.as_str()), ("shop.Cart.total", "shop"));
        assert_eq!(beside.as_deref(), Some("memcmp"));
        let (_, owner, beside, _) = counted("java.lang.Thread.run shop.Cart.total");
        assert_eq!((owner.as_str(), beside), ("shop.Cart.total", None));
    }

    #[test]
    fn the_kernel_is_a_call_of_its_own_and_tells_for_whom_it_works() {
        let frames = "java.lang.Thread.run org.apache.tomcat.util.net.Nio.write sun.nio.ch.IOUtil.write write_[n] \
                      do_syscall_64_[k] tcp_sendmsg_[k]";
        let (calls, owner, beside, package) = counted(frames);
        assert!(
            calls.ends_with("sun.nio.ch.IOUtil.write write [kernel] do_syscall_64 tcp_sendmsg"),
            "{calls}"
        );
        assert_eq!((owner.as_str(), package.as_str()), ("[kernel]", "[kernel]"));
        assert_eq!(beside.as_deref(), Some("org.apache.tomcat.util.net.Nio.write"));
    }

    #[test]
    fn threads_without_methods_are_the_jvms_or_native() {
        for (frames, calls, owner) in [
            ("[compiler]", "[compiler]", "[compiler]"),
            ("[collector]", "[collector]", "[collector]"),
            ("start_thread_[n] [unknown]", "[unknown]", "[unknown]"),
            ("clone3_[n] zlib_loop_[n]", "[native] clone3 zlib_loop", "[native]"),
            ("clone3_[n] do_idle_[k]", "[native] clone3 [kernel] do_idle", "[kernel]"),
        ] {
            let found = counted(frames);
            assert_eq!((found.0.as_str(), found.1.as_str(), found.2), (calls, owner, None), "{frames}");
        }
    }

    #[test]
    fn a_stack_of_the_jdk_alone_counts_for_its_innermost_method() {
        let (_, owner, _, package) =
            counted("java.lang.Thread.run java.util.concurrent.ThreadPoolExecutor.getTask");
        assert_eq!(owner, "java.util.concurrent.ThreadPoolExecutor.getTask");
        assert_eq!(package, "java.util.concurrent");
    }

    #[test]
    fn a_package_tells_libraries_apart() {
        for (method, name) in [
            ("com.google.gson.internal.bind.Adapter.write", "com.google.gson"),
            ("com.google.gson.Gson.toJson", "com.google.gson"),
            ("shop.Cart.total", "shop"),
            ("Main.run", "Main"),
            ("main", "main"),
            ("[kernel]", "[kernel]"),
        ] {
            assert_eq!(package(method), name);
        }
    }
}
