//! [`BuildError`]: why the user's own WAR or jar could not be built.

use say::Say;
use std::path::PathBuf;

/// Why the user's own WAR or jar could not be built. `revision` is what the arm asks for; without one, the user's folder was to be
/// built as it is.
#[derive(Debug, Say)]
#[say(error)]
pub enum BuildError {
    /// git is not installed.
    #[say(
        en = "git is not installed",
        zh = "未安装 git",
        hint(en = "install it (Debian: apt-get install git)", zh = "请安装（Debian：apt-get install git）")
    )]
    NoGit,
    /// The folder is in no repository.
    #[say(
        en = "{folder} is in no git repository",
        zh = "{folder} 不在任何 git 仓库中",
        hint(
            en = "`git` builds a revision of the repository around the file, or around the folder in which prony is started",
            zh = "`git` 构建的是文件所在仓库（或启动 prony 的目录所在仓库）的修订版本"
        )
    )]
    NoRepository { folder: PathBuf },
    /// The folder is a repository without a working tree.
    #[say(
        en = "{folder} is a bare repository, which has no files to build",
        zh = "{folder} 是裸仓库，没有可构建的文件",
        hint(
            en = "start prony in a clone: git clone {folder} shop",
            zh = "请在克隆中启动 prony：git clone {folder} shop"
        )
    )]
    Bare { folder: PathBuf },
    /// Several things in the repository have the name of the revision.
    #[say(
        en = "`{revision}` is ambiguous: {meanings:commas}",
        zh = "`{revision}` 有歧义：{meanings:commas}",
        hint(en = "write the one that is meant", zh = "请写明所指的是哪一个")
    )]
    Ambiguous { revision: String, meanings: Vec<String> },
    /// git refuses a command.
    #[say(
        en = "git cannot {task}{first?: {}}",
        zh = "git 无法{task}{first?：{}}",
        hint(
            en = "run the same with git to see all of its output",
            zh = "直接用 git 执行同样的命令，可看到全部输出"
        ),
        first = lines.first()
    )]
    Git { task: GitTask, lines: Vec<String> },
    /// The repository has no such revision.
    #[say(
        en = "the repository {repository} has no revision `{revision}`",
        zh = "仓库 {repository} 中没有修订版本 `{revision}`",
        hint(
            en = "{nearest?did you mean `{}`?|{shallow?this clone has only a part of the history: `git fetch --unshallow`; for actions/checkout, fetch-depth: 0|`git branch -a` and `git tag` list what there is, `git fetch` gets what is new}}",
            zh = "{nearest?是否想写 `{}`？|{shallow?此克隆只有部分历史：请执行 `git fetch --unshallow`；actions/checkout 请设 fetch-depth: 0|`git branch -a` 和 `git tag` 列出已有的修订版本，`git fetch` 获取新的}}"
        )
    )]
    UnknownRevision { repository: PathBuf, revision: String, nearest: Option<String>, shallow: bool },
    /// The user's folder has changes that are in no commit, and its commit was to be built.
    #[say(
        en = "`{revision}` lacks the changes that are not committed: {files:commas}{others? and {} more}",
        zh = "`{revision}` 不含尚未提交的修改：{files:commas}{others?，另有 {} 个文件}",
        hint(
            en = "commit or stash them, or name the commit by its id; an arm with `build` and without `git` is built from the folder as it is",
            zh = "请提交或暂存（stash）这些修改，或用编号指定该提交；只写 `build` 而不写 `git` 的对象按目录现状构建"
        ),
        others = (*more > 0).then_some(more)
    )]
    Uncommitted { revision: String, files: Vec<String>, more: usize },
    /// The submodules of a revision cannot be fetched.
    #[say(
        en = "the submodules of `{revision}` cannot be checked out{first?: {}}",
        zh = "无法检出 `{revision}` 的子模块{first?：{}}",
        hint(
            en = "`git submodule update --init --recursive` in a fresh clone shows the same; or build each revision by hand, and name the files",
            zh = "在新的克隆中执行 `git submodule update --init --recursive` 会得到同样的结果；也可手动构建各个修订版本并指定其文件"
        ),
        first = lines.first()
    )]
    Submodules { revision: String, lines: Vec<String> },
    /// There is no command, and nothing from which it could be guessed.
    #[say(
        en = "nothing tells how to build {revision?`{}`|the folder}: there is neither a pom.xml nor a build.gradle",
        zh = "无从得知如何构建{revision? `{}` |该目录}：其中既没有 pom.xml 也没有 build.gradle",
        hint(en = "name the command: build = \"…\"", zh = "请写明命令：build = \"…\"")
    )]
    NoBuildTool { revision: Option<String> },
    /// The file is not in the repository, so it is the same for all revisions.
    #[say(
        en = "{file} is not in the repository, so it cannot be built from a revision",
        zh = "{file} 不在仓库中，无法从修订版本构建",
        hint(
            en = "write the path relative to the file, or to the folder in which prony is started",
            zh = "请写相对于该文件或启动 prony 的目录的路径"
        )
    )]
    Outside { file: PathBuf },
    /// The file is not in the folder that is copied to be built.
    #[say(
        en = "{file} is not below {folder}, so several arms cannot build it",
        zh = "{file} 不在 {folder} 之下，无法由多个对象构建",
        hint(
            en = "each of these arms builds a copy of the folder: name a file in it",
            zh = "这些对象各自构建该目录的副本：请指定其中的文件"
        )
    )]
    NotBelow { file: PathBuf, folder: PathBuf },
    /// The command of the build failed.
    #[say(
        en = "the build{revision? of `{}`} failed: `{command}` ended with {status}",
        zh = "{revision?`{}` 的}构建失败：`{command}` 的结果为 {status}",
        hint(
            en = "{revision?to run it by hand: git worktree add /tmp/x {}, and run the command there|run the command by hand to see all of its output}",
            zh = "{revision?可手动执行：git worktree add /tmp/x {}，再在其中运行该命令|手动执行该命令，可看到全部输出}"
        )
    )]
    Failed { revision: Option<String>, command: String, status: String, lines: Vec<String> },
    /// The build did not make the file.
    #[say(
        en = "the build{revision? of `{}`} made no {file}",
        zh = "{revision?`{}` 的}构建没有生成 {file}",
        hint(
            en = "{present?there is {:commas}; a name may have a *: target/*.war|name the file that the command makes}",
            zh = "{present?已有 {:commas}；文件名可含 *：target/*.war|请写该命令生成的文件}"
        )
    )]
    NoFile { revision: Option<String>, file: PathBuf, present: Vec<String> },
    /// A pattern stands for several files of the build.
    #[say(
        en = "the build{revision? of `{}`} made several files that are called {pattern}: {found:commas}",
        zh = "{revision?`{}` 的}构建生成了多个名为 {pattern} 的文件：{found:commas}",
        hint(
            en = "name one of them, or write a pattern that only one has",
            zh = "请指定其中一个，或写只与一个相符的模式"
        )
    )]
    SeveralFiles { revision: Option<String>, pattern: PathBuf, found: Vec<String> },
}

/// What git was to do; completes "git cannot …".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub enum GitTask {
    /// To find the repository around a folder.
    #[say(en = "open the repository", zh = "打开仓库")]
    Open,
    /// To tell the id of a revision, or which files are changed.
    #[say(en = "read the repository", zh = "读取仓库")]
    Read,
    /// To check a revision out into a folder.
    #[say(en = "check the revision out", zh = "检出该修订版本")]
    CheckOut,
}

impl BuildError {
    /// Whether the user asked for something that does not exist.
    pub const fn is_usage(&self) -> bool {
        !matches!(self, Self::NoGit | Self::Git { .. } | Self::Submodules { .. } | Self::Failed { .. })
    }

    /// What the tool wrote, beyond the line that the message has.
    pub(super) fn log(&self) -> &[String] {
        match self {
            Self::Failed { lines, .. } => lines,
            Self::Git { lines, .. } | Self::Submodules { lines, .. } => lines.get(1..).unwrap_or_default(),
            _ => &[],
        }
    }
}
