//! Why the user's own WAR or jar could not be built, in Chinese. What git and the build wrote stays as it is.

use super::first_line;
use crate::say::{Message, hinted};
use sut::{BuildError, GitTask};

/// The error with what to do about it.
pub(super) fn chinese(error: &BuildError) -> Message {
    hinted(message(error), hint(error))
}

fn message(error: &BuildError) -> String {
    match error {
        BuildError::NoGit => "未安装 git".to_owned(),
        BuildError::NoRepository { folder } => format!("{} 不在任何 git 仓库中", folder.display()),
        BuildError::Bare { folder } => {
            format!("{} 是裸仓库，没有可构建的文件", folder.display())
        }
        BuildError::Ambiguous { revision, meanings } => {
            format!("`{revision}` 有歧义：{}", meanings.join("、"))
        }
        BuildError::Git { task, lines } => format!("git 无法{}{}", git_task(*task), first_line(lines)),
        BuildError::UnknownRevision {
            repository, revision, ..
        } => {
            format!("仓库 {} 中没有修订版本 `{revision}`", repository.display())
        }
        BuildError::Uncommitted {
            revision,
            files,
            more,
        } => {
            let more = match more {
                0 => String::new(),
                more => format!("，另有 {more} 个文件"),
            };
            format!("`{revision}` 不含尚未提交的修改：{}{more}", files.join("、"))
        }
        BuildError::Submodules { revision, lines } => {
            format!("无法检出 `{revision}` 的子模块{}", first_line(lines))
        }
        BuildError::NoBuildTool { revision } => {
            let what = revision
                .as_ref()
                .map_or_else(|| "该目录".to_owned(), |revision| format!(" `{revision}` "));
            format!("无从得知如何构建{what}：其中既没有 pom.xml 也没有 build.gradle")
        }
        BuildError::Outside { file } => {
            format!("{} 不在仓库中，无法从修订版本构建", file.display())
        }
        BuildError::Failed {
            revision,
            command,
            status,
            ..
        } => {
            format!("{}构建失败：`{command}` 的结果为 {status}", of(revision))
        }
        BuildError::NoFile { revision, file, .. } => {
            format!("{}构建没有生成 {}", of(revision), file.display())
        }
        BuildError::SeveralFiles {
            revision,
            pattern,
            found,
        } => {
            let (of, found) = (of(revision), found.join("、"));
            format!("{of}构建生成了多个名为 {} 的文件：{found}", pattern.display())
        }
    }
}

fn hint(error: &BuildError) -> String {
    match error {
        BuildError::NoGit => "请安装（Debian：apt-get install git）".to_owned(),
        BuildError::NoRepository { .. } => "`git` 构建的是文件所在仓库（或启动 prony 的目录所在仓库）的修订版本".to_owned(),
        BuildError::Bare { folder } => format!("请在克隆中启动 prony：git clone {} shop", folder.display()),
        BuildError::Ambiguous { .. } => "请写明所指的是哪一个".to_owned(),
        BuildError::Git { .. } => "直接用 git 执行同样的命令，可看到全部输出".to_owned(),
        BuildError::UnknownRevision { nearest: Some(nearest), .. } => format!("是否想写 `{nearest}`？"),
        BuildError::UnknownRevision { shallow: true, .. } => {
            "此克隆只有部分历史：请执行 `git fetch --unshallow`；actions/checkout 请设 fetch-depth: 0".to_owned()
        }
        BuildError::UnknownRevision { .. } => {
            "`git branch -a` 和 `git tag` 列出已有的修订版本，`git fetch` 获取新的".to_owned()
        }
        BuildError::Uncommitted { .. } => {
            "请提交或暂存（stash）这些修改，或用编号指定该提交；只写 `build` 而不写 `git` 的对象按目录现状构建".to_owned()
        }
        BuildError::Submodules { .. } => {
            "在新的克隆中执行 `git submodule update --init --recursive` 会得到同样的结果；也可手动构建各个修订版本并指定其文件".to_owned()
        }
        BuildError::NoBuildTool { .. } => "请写明命令：build = \"…\"".to_owned(),
        BuildError::Outside { .. } => "请写相对于该文件或启动 prony 的目录的路径".to_owned(),
        BuildError::Failed { revision: Some(revision), .. } => {
            format!("可手动执行：git worktree add /tmp/x {revision}，再在其中运行该命令")
        }
        BuildError::Failed { .. } => "手动执行该命令，可看到全部输出".to_owned(),
        BuildError::NoFile { present, .. } if present.is_empty() => "请写该命令生成的文件".to_owned(),
        BuildError::NoFile { present, .. } => {
            format!("已有 {}；文件名可含 *：target/*.war", present.join("、"))
        }
        BuildError::SeveralFiles { .. } => "请指定其中一个，或写只与一个相符的模式".to_owned(),
    }
}

fn of(revision: &Option<String>) -> String {
    revision
        .as_ref()
        .map_or_else(String::new, |revision| format!("`{revision}` 的"))
}

fn git_task(task: GitTask) -> &'static str {
    match task {
        GitTask::Open => "打开仓库",
        GitTask::Read => "读取仓库",
        GitTask::CheckOut => "检出该修订版本",
    }
}
