//! Native methods in which a thread has the kernel work for it: data. A thread within one of them uses the CPU, unless it waits there.

use super::matches;

/// What a thread has the kernel do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Call {
    SocketWrite,
    SocketRead,
    FileWrite,
    FileRead,
    /// Looks up, opens, lists or closes files.
    FileName,
    /// Wakes another thread.
    Wake,
}

/// The methods of each kind. Before JDK 18, sockets and files share a native method, and the method that calls it tells them apart: so sockets come
/// first.
const CALLS: &[(Call, &[&str])] = &[
    (
        Call::SocketWrite,
        &[
            "sun.nio.ch.SocketDispatcher.write*",
            "java.net.SocketOutputStream.socketWrite*",
            "io.netty.channel.unix.Socket.write*",
            "io.netty.channel.unix.Socket.send*",
            "io.netty.channel.unix.FileDescriptor.write*",
            "io.netty.channel.epoll.Native.send*",
        ],
    ),
    (
        Call::SocketRead,
        &[
            "sun.nio.ch.SocketDispatcher.read*",
            "io.netty.channel.unix.Socket.recv*",
            "io.netty.channel.unix.FileDescriptor.read*",
        ],
    ),
    (
        Call::FileWrite,
        &[
            "java.io.FileOutputStream.write*",
            "java.io.RandomAccessFile.write*",
            "sun.nio.ch.FileDispatcherImpl.write*",
            "sun.nio.ch.FileDispatcherImpl.pwrite*",
            "sun.nio.ch.UnixFileDispatcherImpl.write*",
            "sun.nio.ch.UnixFileDispatcherImpl.pwrite*",
        ],
    ),
    (
        Call::FileRead,
        &[
            "java.io.FileInputStream.read*",
            "java.io.FileInputStream.available*",
            "java.io.FileInputStream.skip*",
            "java.io.RandomAccessFile.read*",
            "java.io.RandomAccessFile.seek*",
            "java.io.RandomAccessFile.length*",
            "java.io.RandomAccessFile.getFilePointer",
            "sun.nio.ch.FileDispatcherImpl.read*",
            "sun.nio.ch.FileDispatcherImpl.pread*",
            "sun.nio.ch.FileDispatcherImpl.seek*",
            "sun.nio.ch.FileDispatcherImpl.size*",
            "sun.nio.ch.UnixFileDispatcherImpl.read*",
            "sun.nio.ch.UnixFileDispatcherImpl.pread*",
            "sun.nio.ch.UnixFileDispatcherImpl.seek*",
            "sun.nio.ch.UnixFileDispatcherImpl.size*",
        ],
    ),
    (
        Call::FileName,
        &[
            "sun.nio.fs.UnixNativeDispatcher.*",
            "java.io.UnixFileSystem.*",
            "java.io.FileInputStream.open*",
            "java.io.FileOutputStream.open*",
            "java.io.RandomAccessFile.open*",
            "java.io.FileDescriptor.close*",
            "java.io.FileCleanable.*",
            "sun.nio.ch.FileDispatcherImpl.close*",
            "sun.nio.ch.UnixFileDispatcherImpl.close*",
        ],
    ),
    (
        Call::Wake,
        &[
            "jdk.internal.misc.Unsafe.unpark",
            "sun.misc.Unsafe.unpark",
            "java.lang.Object.notify*",
            "sun.nio.ch.EventFD.set*",
            "sun.nio.ch.IOUtil.write1",
        ],
    ),
];

/// A thread within one of these waits for what it reads.
const BLOCKING: &str = "sun.nio.ch.NioSocketImpl.";
/// How many of the innermost methods tell the kind of a call.
const INNERMOST: usize = 2;
/// How many of them tell whether a read waits.
const NEAR: usize = 6;

/// What a thread has the kernel do whose innermost method is native; `None` where no rule knows it, or it waits.
pub(in super::super) fn call_of(frames: &[String]) -> Option<Call> {
    let kinds = frames.iter().take(INNERMOST).filter_map(|method| call_in(method));
    let waits = || frames.iter().take(NEAR).any(|method| method.starts_with(BLOCKING));
    kinds.min().filter(|call| *call != Call::SocketRead || !waits())
}

/// What is done within a method.
fn call_in(method: &str) -> Option<Call> {
    let fits = |patterns: &[&str]| patterns.iter().any(|pattern| matches(pattern, method));
    CALLS.iter().find(|(_, patterns)| fits(patterns)).map(|(call, _)| *call)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(frames: &[&str]) -> Option<Call> {
        call_of(&frames.iter().map(|frame| (*frame).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn a_call_is_known_by_the_innermost_methods() {
        let write = ["sun.nio.ch.SocketDispatcher.write0", "sun.nio.ch.SocketDispatcher.write"];
        assert_eq!(call(&write), Some(Call::SocketWrite));
        let older = ["sun.nio.ch.FileDispatcherImpl.write0", "sun.nio.ch.SocketDispatcher.write"];
        assert_eq!(call(&older), Some(Call::SocketWrite));
        let file = ["sun.nio.ch.FileDispatcherImpl.write0", "sun.nio.ch.FileDispatcherImpl.write"];
        assert_eq!(call(&file), Some(Call::FileWrite));
        assert_eq!(call(&["java.io.RandomAccessFile.read0", "shop.Index.find"]), Some(Call::FileRead));
        assert_eq!(call(&["sun.nio.fs.UnixNativeDispatcher.stat0"]), Some(Call::FileName));
        assert_eq!(call(&["shop.Index.find", "shop.Shop.get", "java.io.RandomAccessFile.read0"]), None);
    }

    #[test]
    fn what_waits_in_the_kernel_is_no_work() {
        let polls = ["sun.nio.ch.Net.poll", "sun.nio.ch.NioSocketImpl.park"];
        assert_eq!(call(&polls), None);
        let reads = ["sun.nio.ch.SocketDispatcher.read0", "sun.nio.ch.SocketDispatcher.read"];
        assert_eq!(call(&reads), Some(Call::SocketRead));
        let blocks = [reads[0], reads[1], "sun.nio.ch.NioSocketImpl.tryRead"];
        assert_eq!(call(&blocks), None);
        assert_eq!(call(&["sun.nio.ch.UnixFileDispatcherImpl.force0"]), None, "it waits for the disk");
        assert_eq!(call(&["sun.nio.ch.EPoll.wait", "sun.nio.ch.EPollSelectorImpl.doSelect"]), None);
    }
}
