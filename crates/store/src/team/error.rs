//! Errors of a team's store, with hints about what to do. None of them holds a password.

use super::TeamAddress;
use postgres::error::SqlState;
use say::Say;
use std::path::PathBuf;

/// Why the store of a team cannot be used.
#[derive(Debug, Say)]
#[say(error)]
pub enum TeamError {
    /// The text is no address of a PostgreSQL database. It is not quoted, because it may hold a password.
    #[say(
        en = "the store is not an address such as postgres://USER@HOST/DATABASE",
        zh = "存储地址不是 postgres://USER@HOST/DATABASE 这样的地址",
        hint(
            en = "for example postgres://nina@db.example:5432/perf",
            zh = "例如 postgres://nina@db.example:5432/perf"
        )
    )]
    NotAnAddress,
    /// The address holds a password.
    #[say(
        en = "the address of the store has a password in it, which everybody on this machine could read in \
              the list of processes",
        zh = "存储地址中含有密码，本机任何人都能在进程列表中看到它",
        hint(
            en = "leave it out and put it into ~/.pgpass (host:port:database:user:password, chmod 600), or \
                  into the file that PGPASSFILE names",
            zh = "请去掉密码，写入 ~/.pgpass（host:port:database:user:password，chmod 600），或 PGPASSFILE \
                  所指的文件"
        )
    )]
    PasswordInAddress,
    /// The address asks for a way of encryption that psql does not have.
    #[say(
        en = "there is no sslmode `{mode}`",
        zh = "没有 sslmode `{mode}`",
        hint(
            en = "write disable, prefer (encrypt where the server offers it), or verify-full (encrypt, and \
                  check its certificate)",
            zh = "可写 disable、prefer（服务器支持时加密）或 verify-full（加密并检查证书）"
        )
    )]
    NoSuchEncryption {
        /// What was given.
        mode: String,
    },
    /// The certificates cannot be used by which the server is to be checked.
    #[say(
        en = "cannot use the certificates {path?in {}|that this system trusts}: {said}",
        zh = "无法使用{path? {} 中|本系统信任}的证书：{said}",
        hint(
            en = "name a PEM file: ?sslmode=verify-full&sslrootcert=FILE, or PGSSLROOTCERT=FILE",
            zh = "请指定一个 PEM 文件：?sslmode=verify-full&sslrootcert=FILE，或 PGSSLROOTCERT=FILE"
        )
    )]
    Certificates {
        /// The file; `None` means those that the system trusts.
        path: Option<PathBuf>,
        /// What is wrong with them.
        said: String,
    },
    /// Others may read the file with the passwords.
    #[say(
        en = "{path} can be read by others, and is not used",
        zh = "{path} 可被他人读取，因此未使用",
        hint(en = "chmod 600 {path}", zh = "chmod 600 {path}")
    )]
    OpenPassfile { path: PathBuf },
    /// The server cannot be reached, or lets nobody in.
    #[say(
        en = "cannot connect to {at}: {detail}",
        zh = "无法连接 {at}：{detail}",
        hint(en = "{trouble}", zh = "{trouble}"),
        detail = detail(source),
        trouble = self.trouble()
    )]
    Connect {
        /// The store.
        at: TeamAddress,
        /// What the server or the system says.
        source: postgres::Error,
    },
    /// The server refuses something, or the connection was lost on the way.
    #[say(
        en = "cannot use the runs in {at}: {detail}",
        zh = "无法使用 {at} 中的运行：{detail}",
        hint(en = "{trouble}", zh = "{trouble}"),
        detail = detail(source),
        trouble = self.trouble()
    )]
    Sql {
        /// The store.
        at: TeamAddress,
        /// What the server or the system says.
        source: postgres::Error,
    },
    /// Nothing was ever pushed to the database.
    #[say(
        en = "no runs were ever pushed to {at}",
        zh = "从未有运行推送到 {at}",
        hint(
            en = "`prony push` makes the tables and stores runs there",
            zh = "`prony push` 会创建表并保存运行"
        )
    )]
    Empty {
        /// The store.
        at: TeamAddress,
    },
    /// A later prony has changed the tables.
    #[say(
        en = "{at} was changed by a later prony (schema {stored}, this one knows {known})",
        zh = "{at} 已被更新版本的 prony 修改（schema {stored}，本版本支持到 {known}）",
        hint(
            en = "update this prony to the one that the team uses",
            zh = "请将本机的 prony 更新到团队所用的版本"
        )
    )]
    Newer {
        /// The store.
        at: TeamAddress,
        /// The version of its tables.
        stored: u32,
        /// The latest version that this prony knows.
        known: u32,
    },
    /// The tables have the schema of an earlier prony. Their rows are not converted, because prony was not released
    /// yet.
    #[say(
        en = "{at} has the tables of an earlier prony (schema {stored}, this one needs {known})",
        zh = "{at} 的表来自较早版本的 prony（schema {stored}，本版本需要 {known}）",
        hint(
            en = "name another database; or delete the runs there (`DROP SCHEMA prony CASCADE`), and `prony push` \
                  makes new tables",
            zh = "请指定另一个数据库；或删除那里的运行（`DROP SCHEMA prony CASCADE`），再由 `prony push` 创建新表"
        )
    )]
    Older {
        /// The store.
        at: TeamAddress,
        /// The version of its tables.
        stored: u32,
        /// The version that this prony needs.
        known: u32,
    },
    /// The other store has something else under the id of a run.
    #[say(
        en = "another run {run}, or more of it, is already stored in {place}",
        zh = "{place} 中已有另一个运行 {run}，或其更多的内容",
        hint(
            en = "`prony history` lists the runs of this machine, `prony history --store URL` those of the \
                  team",
            zh = "`prony history` 列出本机的运行，`prony history --store URL` 列出团队的运行"
        )
    )]
    Conflict { run: String, place: String },
    /// There is no such run.
    #[say(
        en = "there is no run `{run}` in {place}",
        zh = "{place} 中没有运行 `{run}`",
        hint(
            en = "`prony history` lists the runs of this machine, `prony history --store URL` those of the \
                  team",
            zh = "`prony history` 列出本机的运行，`prony history --store URL` 列出团队的运行"
        )
    )]
    Unknown {
        /// What was asked for.
        run: String,
        place: String,
    },
    /// Several ids of runs begin with the given prefix.
    #[say(
        en = "`{prefix}` fits more than one run: {runs:commas}",
        zh = "`{prefix}` 与多个运行匹配：{runs:commas}",
        hint(en = "type more of the run's id", zh = "请多输入几位运行 ID")
    )]
    ManyFit {
        prefix: String,
        /// The ids that begin with it.
        runs: Vec<String>,
    },
    /// The store of this machine fails.
    #[say(transparent)]
    Local(#[say(from)] crate::Error),
}

/// What can be done about an error of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub enum TeamTrouble {
    /// This role may not do it.
    #[say(
        en = "this role may only read: use one that may write, or let its owner grant it INSERT, UPDATE \
              and DELETE",
        zh = "此角色只能读取：请换用有写权限的角色，或由所有者授予 INSERT、UPDATE 和 DELETE"
    )]
    NotAllowed,
    /// The password is wrong or missing.
    #[say(
        en = "put the password into ~/.pgpass (host:port:database:user:password, chmod 600), or into the \
              file that PGPASSFILE names",
        zh = "请将密码写入 ~/.pgpass（host:port:database:user:password，chmod 600），或 PGPASSFILE \
              所指的文件"
    )]
    Password,
    /// There is no such database.
    #[say(
        en = "make it with `createdb`, or name another one at the end of the address",
        zh = "请用 `createdb` 创建，或在地址末尾写另一个数据库"
    )]
    NoDatabase,
    /// The server has no space left.
    #[say(
        en = "the disk of the database is full: free some space there; the runs are still stored on this \
              machine",
        zh = "数据库的磁盘已满：请在那里腾出空间；运行仍保存在本机"
    )]
    Full,
    /// Nobody who is trusted has signed the server's certificate for the host of the address.
    #[say(
        en = "add sslrootcert=FILE to the address, with the certificate (PEM) of who signed the server's, \
              and name the host as its certificate does",
        zh = "请在地址中加上 sslrootcert=FILE（签发服务器证书者的 PEM 证书），主机名也要与证书一致"
    )]
    Certificate,
    /// The server does not encrypt.
    #[say(
        en = "switch it on there (`ssl = on`), or leave sslmode out of the address",
        zh = "请在服务器上打开加密（`ssl = on`），或从地址中去掉 sslmode"
    )]
    NoEncryption,
    /// The server does not answer, or the connection was lost.
    #[say(
        en = "see whether the server runs and can be reached; the runs of this machine stay here, and \
              `prony push` sends them later",
        zh = "请检查服务器是否在运行且可达；本机的运行仍在这里，之后可用 `prony push` 发送"
    )]
    Unreachable,
}

impl TeamError {
    /// What can be done about an error of the server; `None` for every other error.
    pub fn trouble(&self) -> Option<TeamTrouble> {
        let (Self::Connect { source, .. } | Self::Sql { source, .. }) = self else {
            return None;
        };
        let Some(state) = source.code() else {
            // The library has no other word for them.
            let said = detail(source);
            let of_client = [
                ("password", TeamTrouble::Password),
                ("certificate", TeamTrouble::Certificate),
                ("server does not support TLS", TeamTrouble::NoEncryption),
            ];
            let known = of_client.iter().find(|(word, _)| said.contains(word));
            return Some(known.map_or(TeamTrouble::Unreachable, |(_, trouble)| *trouble));
        };
        let known = [
            (&SqlState::INSUFFICIENT_PRIVILEGE, TeamTrouble::NotAllowed),
            (&SqlState::READ_ONLY_SQL_TRANSACTION, TeamTrouble::NotAllowed),
            (&SqlState::INVALID_PASSWORD, TeamTrouble::Password),
            (&SqlState::INVALID_AUTHORIZATION_SPECIFICATION, TeamTrouble::Password),
            (&SqlState::INVALID_CATALOG_NAME, TeamTrouble::NoDatabase),
            (&SqlState::DISK_FULL, TeamTrouble::Full),
            (&SqlState::ADMIN_SHUTDOWN, TeamTrouble::Unreachable),
            (&SqlState::CRASH_SHUTDOWN, TeamTrouble::Unreachable),
            (&SqlState::CANNOT_CONNECT_NOW, TeamTrouble::Unreachable),
        ];
        known.iter().find(|(known, _)| *known == state).map(|(_, trouble)| *trouble)
    }
}

/// What the server or the system says, with its cause.
fn detail(error: &postgres::Error) -> String {
    if let Some(from_server) = error.as_db_error() {
        return from_server.message().to_owned();
    }
    match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}
