//! The thread that starts every guarded process.
//!
//! A death signal belongs to the *thread* that started a process: the kernel sends it when that thread ends, not when
//! prony does. So one thread, which lives as long as prony, starts them all, and the others ask it to. A process
//! inherits the network namespace of the thread that starts it, so the parent enters the namespace of the thread that
//! asks.

use crate::error::{Error, FileAct};
use crate::tools::namespace::NamespaceHere;
use std::io;
use std::process::{Child, Command};
use std::sync::LazyLock;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread;

/// A command that is to be started.
struct Order {
    command: Command,
    /// Where it is started; `None` where namespaces cannot be read.
    namespace: Option<NamespaceHere>,
    child: SyncSender<io::Result<Child>>,
}

/// Where the parent takes orders. If there can be no such thread, nobody receives them.
static ORDERS: LazyLock<Sender<Order>> = LazyLock::new(|| {
    let (orders, received) = mpsc::channel();
    let parent = thread::Builder::new().name("parent".to_owned());
    let _ = parent.spawn(move || obey(&received));
    orders
});

/// Starts a command that a guard has made. Any thread may ask for it: the process ends with prony, and not with that thread.
pub(crate) fn spawn(command: Command) -> Result<Child, Error> {
    let program = command.get_program().to_owned();
    start(command).map_err(|error| Error::io(FileAct::Start, program, error))
}

fn start(command: Command) -> io::Result<Child> {
    let (child, started) = mpsc::sync_channel(1);
    let order = Order { command, namespace: NamespaceHere::read().ok(), child };
    let gone = || io::Error::other("the thread that starts processes has ended");
    ORDERS.send(order).map_err(|_| gone())?;
    started.recv().map_err(|_| gone())?
}

/// Starts what is asked for, until prony ends.
fn obey(orders: &Receiver<Order>) {
    let home = NamespaceHere::read().ok();
    for order in orders {
        let started = start_in(order.command, order.namespace.as_ref(), home.as_ref());
        // The thread that asked waits for the answer.
        let _ = order.child.send(started);
    }
}

/// Starts a command in a namespace, and returns to the namespace of this thread. It must not stay in the other one, which would then
/// outlive its run.
fn start_in(
    mut command: Command,
    namespace: Option<&NamespaceHere>,
    home: Option<&NamespaceHere>,
) -> io::Result<Child> {
    let Some((namespace, home)) = namespace.zip(home).filter(|(there, home)| there != home) else {
        return command.spawn();
    };
    namespace.enter()?;
    let child = command.spawn();
    // This cannot fail: we are root, as we were when we left it.
    let _ = home.enter();
    child
}
