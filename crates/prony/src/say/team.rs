//! The store of a team: what `push` and `pull` tell, and its errors in Chinese. Their English is `store::TeamError`'s own.

use super::{Message, hinted};
use report::Lang;
use store::{Moved, TeamAddress, TeamError, TeamTrouble};

/// What became of a run.
pub(crate) fn moved(run: &str, moved: Moved, lang: Lang) -> String {
    let what = match (moved, lang) {
        (Moved::Added, Lang::En) => "stored",
        (Moved::Completed, Lang::En) => "completed: it was there in part",
        (Moved::Known, Lang::En) => "is there already",
        (Moved::Added, Lang::Zh) => "已保存",
        (Moved::Completed, Lang::Zh) => "已补全：那里此前只有一部分",
        (Moved::Known, Lang::Zh) => "已存在",
    };
    format!("{run}: {what}")
}

/// Says how many decisions about changes were stored.
pub(crate) fn decisions_moved(stored: usize, lang: Lang) -> String {
    match (stored, lang) {
        (1, Lang::En) => "1 decision about a change: stored".to_owned(),
        (_, Lang::En) => format!("{stored} decisions about changes: stored"),
        (_, Lang::Zh) => format!("已保存 {stored} 个关于变化的决定"),
    }
}

/// Says that a run that ended is in the team's store now.
pub(crate) fn pushed(at: &TeamAddress, lang: Lang) -> String {
    match lang {
        Lang::En => format!("pushed to {at}"),
        Lang::Zh => format!("已推送到 {at}"),
    }
}

/// Says in one line that a run that ended could not be pushed, and stays on this machine.
pub(crate) fn not_pushed(error: &TeamError, lang: Lang) -> String {
    match lang {
        Lang::En => {
            format!("not pushed: {error}; the run is stored here, and the next `prony push` sends it")
        }
        Lang::Zh => format!(
            "未推送：{}；运行保存在本机，下次 `prony push` 会发送",
            chinese(error).message
        ),
    }
}

/// Says that the team has all runs.
pub(crate) const fn nothing_to_push(lang: Lang) -> &'static str {
    match lang {
        Lang::En => "nothing to push: the team has every run that ended on this machine, and every decision",
        Lang::Zh => "没有可推送的内容：团队已有本机所有已结束的运行和决定",
    }
}

/// An error in Chinese, with what to do about it.
pub(super) fn chinese(error: &TeamError) -> Message {
    let pgpass = "~/.pgpass（host:port:database:user:password，chmod 600），或 PGPASSFILE 所指的文件";
    match error {
        TeamError::NotAnAddress => hinted(
            "存储地址不是 postgres://USER@HOST/DATABASE 这样的地址",
            "例如 postgres://nina@db.example:5432/perf",
        ),
        TeamError::PasswordInAddress => hinted(
            "存储地址中含有密码，本机任何人都能在进程列表中看到它",
            format!("请去掉密码，写入 {pgpass}"),
        ),
        TeamError::NoSuchEncryption { mode } => hinted(
            format!("没有 sslmode `{mode}`"),
            "可写 disable、prefer（服务器支持时加密）或 verify-full（加密并检查证书）",
        ),
        TeamError::Certificates { path, said } => hinted(
            match path {
                Some(path) => format!("无法使用 {} 中的证书：{said}", path.display()),
                None => format!("无法使用本系统信任的证书：{said}"),
            },
            "请指定一个 PEM 文件：?sslmode=verify-full&sslrootcert=FILE，或 PGSSLROOTCERT=FILE",
        ),
        TeamError::OpenPassfile { path } => hinted(
            format!("{} 可被他人读取，因此未使用", path.display()),
            format!("chmod 600 {}", path.display()),
        ),
        TeamError::Connect { at, .. } => Message {
            message: format!("无法连接 {at}：{}", error.from_server()),
            hint: error.trouble().map(trouble),
        },
        TeamError::Sql { at, .. } => Message {
            message: format!("无法使用 {at} 中的运行：{}", error.from_server()),
            hint: error.trouble().map(trouble),
        },
        TeamError::Empty { at } => hinted(
            format!("从未有运行推送到 {at}"),
            "`prony push` 会创建表并保存运行",
        ),
        TeamError::Newer { at, stored, known } => hinted(
            format!("{at} 已被更新版本的 prony 修改（schema {stored}，本版本支持到 {known}）"),
            "请将本机的 prony 更新到团队所用的版本",
        ),
        TeamError::Older { at, stored, known } => hinted(
            format!("{at} 的表来自较早版本的 prony（schema {stored}，本版本需要 {known}）"),
            "由有写权限的用户执行 `prony push` 会更新这些表",
        ),
        TeamError::Conflict { run, place } => hinted(
            format!("{place} 中已有另一个运行 {run}，或其更多的内容"),
            "`prony history` 列出本机的运行，`prony history --store URL` 列出团队的运行",
        ),
        TeamError::Unknown { run, place } => hinted(
            format!("{place} 中没有运行 `{run}`"),
            "`prony history` 列出本机的运行，`prony history --store URL` 列出团队的运行",
        ),
        TeamError::ManyFit { prefix, runs } => hinted(
            format!("`{prefix}` 与多个运行匹配：{}", runs.join("、")),
            "请多输入几位运行 ID",
        ),
        TeamError::Local(error) => super::store::chinese(error),
    }
}

fn trouble(trouble: TeamTrouble) -> String {
    let text = match trouble {
        TeamTrouble::NotAllowed => {
            "此角色只能读取：请换用有写权限的角色，或由所有者授予 INSERT、UPDATE 和 DELETE"
        }
        TeamTrouble::Password => {
            "请将密码写入 ~/.pgpass（host:port:database:user:password，chmod 600），或 PGPASSFILE 所指的文件"
        }
        TeamTrouble::NoDatabase => "请用 `createdb` 创建，或在地址末尾写另一个数据库",
        TeamTrouble::Full => "数据库的磁盘已满：请在那里腾出空间；运行仍保存在本机",
        TeamTrouble::Certificate => {
            "请在地址中加上 sslrootcert=FILE（签发服务器证书者的 PEM 证书），主机名也要与证书一致"
        }
        TeamTrouble::NoEncryption => "请在服务器上打开加密（`ssl = on`），或从地址中去掉 sslmode",
        TeamTrouble::Unreachable => {
            "请检查服务器是否在运行且可达；本机的运行仍在这里，之后可用 `prony push` 发送"
        }
    };
    text.to_owned()
}
