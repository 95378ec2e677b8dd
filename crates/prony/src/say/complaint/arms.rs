//! Arms and paths that cannot be compared as the command line asks.

use crate::say::{Message, hinted};

/// Why arms cannot be compared as asked.
#[derive(Debug)]
pub(crate) enum ArmsComplaint {
    /// Only one was given.
    OneAlone,
    /// `--host` gives the address of a host that no arm names.
    UnusedHost {
        /// The name of the host.
        name: String,
    },
    /// Several servers were named for the revisions of `--git`.
    SeveralServers,
    /// Two have one name.
    SameName {
        /// The name.
        name: String,
    },
    /// There is no application of that name.
    UnknownApp {
        /// What was asked for.
        app: String,
        /// The applications that there are.
        known: Vec<String>,
    },
    /// The server of an arm cannot run the application.
    NeedsServlets {
        /// The application.
        app: String,
        /// The server, which runs no servlets.
        server: String,
        /// The applications that it runs.
        routed: Vec<String>,
    },
    /// The application does not answer the path.
    OtherPath {
        /// The application.
        app: String,
        /// What was asked for.
        path: String,
        /// The paths that it answers.
        paths: Vec<String>,
    },
    /// `--arm` names none of the file's.
    Unknown {
        /// What was asked for.
        name: String,
        /// The arm that was probably meant.
        nearest: Option<String>,
        /// The arms of the file.
        arms: Vec<String>,
    },
    /// `--arm` leaves nothing to compare the baseline with.
    OnlyBaseline {
        /// The baseline.
        baseline: String,
    },
}

impl ArmsComplaint {
    pub(super) fn english(&self) -> Message {
        match self {
            Self::OneAlone => hinted(
                "one arm alone cannot be compared",
                "name at least two: the first is the baseline; `prony why` asks what limits one",
            ),
            Self::UnusedHost { name } => hinted(
                format!("no arm of this run names the host `{name}`"),
                format!("an arm names it by `host = \"{name}\"`; check the name that follows --host"),
            ),
            Self::SeveralServers => hinted(
                "with --git the arms are the revisions, and one server runs all of them",
                "name at most one server; a file can have any arms: { server = \"tomcat:10.1.29\", war = \"target/app.war\", git = \"main\" }",
            ),
            Self::SameName { name } => hinted(
                format!("two arms are called `{name}`"),
                "give each a name: tomcat:10.1.29,name=one tomcat:10.1.29,name=two",
            ),
            Self::UnknownApp { app, known } => hinted(
                format!("unknown application `{app}`"),
                format!("applications: {}", known.join(", ")),
            ),
            Self::NeedsServlets { app, server, routed } => hinted(
                format!("`{server}` runs no servlets, and the application `{app}` needs them"),
                format!("applications without servlets: {}", routed.join(", ")),
            ),
            Self::OtherPath { app, path, paths } => hinted(
                format!("`{app}` does not answer `{path}`"),
                format!("`{app}` answers {}", paths.join(", ")),
            ),
            Self::Unknown { name, nearest, arms } => hinted(
                format!("no arm is called `{name}`"),
                match nearest {
                    Some(nearest) => format!("did you mean `{nearest}`?"),
                    None => format!("the arms are: {}", arms.join(", ")),
                },
            ),
            Self::OnlyBaseline { baseline } => hinted(
                format!("only the baseline `{baseline}` is left"),
                "name another --arm",
            ),
        }
    }

    pub(super) fn chinese(&self) -> Message {
        match self {
            Self::OneAlone => hinted(
                "只有一个对象，无从比较",
                "请至少给出两个：第一个是基线；`prony why` 可查找单个对象的瓶颈",
            ),
            Self::UnusedHost { name } => hinted(
                format!("本次运行没有对象使用主机 `{name}`"),
                format!("对象用 `host = \"{name}\"` 指定主机；请检查 --host 之后的名称"),
            ),
            Self::SeveralServers => hinted(
                "使用 --git 时，对象是各个修订版本，由同一个服务器运行",
                "请最多指定一个服务器；文件中可写任意对象：{ server = \"tomcat:10.1.29\", war = \"target/app.war\", git = \"main\" }",
            ),
            Self::SameName { name } => hinted(
                format!("有两个对象都名为 `{name}`"),
                "请为每个对象命名：tomcat:10.1.29,name=one tomcat:10.1.29,name=two",
            ),
            Self::UnknownApp { app, known } => hinted(
                format!("没有名为 `{app}` 的应用"),
                format!("可用的应用：{}", known.join("、")),
            ),
            Self::NeedsServlets { app, server, routed } => hinted(
                format!("`{server}` 不支持 servlet，而应用 `{app}` 需要 servlet"),
                format!("不需要 servlet 的应用：{}", routed.join("、")),
            ),
            Self::OtherPath { app, path, paths } => hinted(
                format!("`{app}` 不响应 `{path}`"),
                format!("`{app}` 响应的路径：{}", paths.join("、")),
            ),
            Self::Unknown { name, nearest, arms } => hinted(
                format!("没有名为 `{name}` 的对象"),
                match nearest {
                    Some(nearest) => format!("是否想写 `{nearest}`？"),
                    None => format!("可选的对象：{}", arms.join("、")),
                },
            ),
            Self::OnlyBaseline { baseline } => {
                hinted(format!("只剩下基线 `{baseline}`"), "请再用 --arm 指定一个对象")
            }
        }
    }
}
