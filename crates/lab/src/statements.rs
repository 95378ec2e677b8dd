//! [`StatementWatch`]: asks the PostgreSQL of a server again and again what it runs, while the server is looked into.

mod text;

use crate::peers::pauses;
use postgres::{Client, Config, NoTls};
use record::inspection::{DatabaseSeen, StatementSeen};
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use sut::Server;

/// How long a database may take to let us in: it is a process of this machine.
const PATIENCE: Duration = Duration::from_secs(2);
/// The number of statements that are kept of a database.
const KEPT: usize = 5;
/// What every client runs now: its text, whether it waits for a lock of another transaction, and whether one that holds it is idle.
const RUNNING: &str = "select a.query, a.wait_event_type = 'Lock' is true, a.wait_event_type = 'Lock' is true and exists (select 1 \
                       from unnest(pg_blocking_pids(a.pid)) b join pg_stat_activity h on h.pid = b where h.state like 'idle in%') from \
                       pg_stat_activity a where a.state = 'active' and a.pid <> pg_backend_pid() and a.backend_type = 'client backend'";
/// Rows that were read without an index, by table.
const SCANNED: &str = "select relname::text, coalesce(seq_tup_read, 0) from pg_stat_user_tables";

/// A watch over what the databases of a server run.
pub(crate) struct StatementWatch {
    watching: Vec<JoinHandle<Option<DatabaseSeen>>>,
    ends: Vec<Sender<()>>,
}

impl StatementWatch {
    /// Begins to ask. A database that cannot be asked is left out.
    pub(crate) fn begin(server: &Server) -> Self {
        // A connection stays in the network namespace in which it is opened.
        let entered = server.enter();
        let asked = server.services().into_iter().filter_map(|service| {
            let url = service.statements()?;
            Some((service.address.to_string(), connect(&url).ok()?))
        });
        let (mut watching, mut ends) = (Vec::new(), Vec::new());
        for (address, client) in asked {
            let (end, ended) = channel();
            ends.push(end);
            watching.push(thread::spawn(move || watch(client, address, &ended).ok()));
        }
        drop(entered);
        Self { watching, ends }
    }

    /// Ends it, and returns what was seen of each database.
    pub(crate) fn end(self) -> Vec<DatabaseSeen> {
        drop(self.ends);
        self.watching.into_iter().filter_map(|watching| watching.join().ok().flatten()).collect()
    }
}

fn connect(url: &str) -> Result<Client, postgres::Error> {
    let mut config: Config = url.parse()?;
    config.connect_timeout(PATIENCE).application_name("prony").connect(NoTls)
}

/// Asks until the other end of the channel is dropped.
fn watch(mut client: Client, address: String, ended: &Receiver<()>) -> Result<DatabaseSeen, postgres::Error> {
    let before = scanned(&mut client)?;
    let mut statements: BTreeMap<String, StatementSeen> = BTreeMap::new();
    let mut looks = 0;
    for pause in pauses() {
        looks += 1;
        for row in client.query(RUNNING, &[])? {
            let text = text::without_values(row.get(0));
            let (locked, is_idle): (bool, bool) = (row.get(1), row.get(2));
            let seen =
                statements.entry(text.clone()).or_insert(StatementSeen { text, ..StatementSeen::default() });
            seen.running += u64::from(!locked);
            seen.locked += u64::from(locked);
            seen.holder_idle += u64::from(is_idle);
        }
        if ended.recv_timeout(pause) != Err(RecvTimeoutError::Timeout) {
            break;
        }
    }
    let mut scanned = scanned(&mut client)?;
    for (table, rows) in &mut scanned {
        *rows = rows.saturating_sub(before.get(table).copied().unwrap_or(0));
    }
    scanned.retain(|_, rows| *rows > 0);
    let mut statements: Vec<StatementSeen> = statements.into_values().collect();
    statements.sort_by_key(|seen| std::cmp::Reverse(seen.running + seen.locked));
    statements.truncate(KEPT);
    Ok(DatabaseSeen { address, looks, statements, scanned })
}

fn scanned(client: &mut Client) -> Result<BTreeMap<String, u64>, postgres::Error> {
    let rows = client.query(SCANNED, &[])?;
    Ok(rows.iter().map(|row| (row.get(0), row.get::<_, i64>(1).try_into().unwrap_or(0))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::Database;

    #[test]
    fn a_database_tells_what_it_runs_and_who_waits_for_a_lock() {
        let database = Database::create().expect("PostgreSQL");
        let url = database.url("owner");
        let client = || connect(&url).expect("connected");
        let mut owner = client();
        let table = "create table stock (id int, kept int); insert into stock select n, 1 from generate_series(1, 1000) n";
        owner.batch_execute(table).expect("a table");
        let (end, ended) = channel();
        let watcher = client();
        let watching = thread::spawn(move || watch(watcher, "db:5432".to_owned(), &ended).expect("watched"));
        owner.batch_execute("begin; update stock set kept = 2 where id = 17").expect("locked");
        let mut other = client();
        let waits = thread::spawn(move || other.batch_execute("update stock set kept = 3 where id = 17"));
        let is_waiting = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
        let mut asking = client();
        while asking.query_one(is_waiting, &[]).expect("asked").get::<_, i64>(0) == 0 {
            thread::sleep(Duration::from_millis(5));
        }
        asking.batch_execute("select pg_sleep(0.5)").expect("slept");
        owner.batch_execute("commit").expect("unlocked");
        waits.join().expect("ended").expect("updated");
        drop(end);
        let seen = watching.join().expect("seen");
        let of = |text: &str| {
            seen.statements.iter().find(|one| one.text == text).unwrap_or_else(|| panic!("{seen:?}"))
        };
        let update = of("update stock set kept = ? where id = ?");
        // The owner of the lock may be busy with a statement of its own in one look.
        assert!(update.locked >= 2 && update.holder_idle + 1 >= update.locked, "{seen:?}");
        let sleeps = of("select pg_sleep(?)");
        assert!(sleeps.running >= 2 && sleeps.locked == 0, "{seen:?}");
        assert!(u64::from(seen.looks) >= update.locked, "{seen:?}");
    }
}
