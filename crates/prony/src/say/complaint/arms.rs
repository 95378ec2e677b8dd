//! Arms and paths that cannot be compared as the command line asks.

use ::say::Say;

/// Why arms cannot be compared as asked.
#[derive(Debug, Say)]
#[say(error)]
pub(crate) enum ArmsComplaint {
    /// Only one was given.
    #[say(
        en = "one arm alone cannot be compared",
        zh = "只有一个对象，无从比较",
        hint(
            en = "name at least two: the first is the baseline; `prony why` asks what limits one",
            zh = "请至少给出两个：第一个是基线；`prony why` 可查找单个对象的瓶颈"
        )
    )]
    OneAlone,
    /// `--host` gives the address of a host that no arm names.
    #[say(
        en = "no arm of this run names the host `{name}`",
        zh = "本次运行没有对象使用主机 `{name}`",
        hint(
            en = "an arm names it by `host = \"{name}\"`; check the name that follows --host",
            zh = "对象用 `host = \"{name}\"` 指定主机；请检查 --host 之后的名称"
        )
    )]
    UnusedHost {
        /// The name of the host.
        name: String,
    },
    /// Several servers were named for the revisions of `--git`.
    #[say(
        en = "with --git the arms are the revisions, and one server runs all of them",
        zh = "使用 --git 时，对象是各个修订版本，由同一个服务器运行",
        hint(
            en = "name at most one server; a file can have any arms: \
                  {{ server = \"tomcat:10.1.29\", war = \"target/app.war\", git = \"main\" }}",
            zh = "请最多指定一个服务器；文件中可写任意对象：\
                  {{ server = \"tomcat:10.1.29\", war = \"target/app.war\", git = \"main\" }}"
        )
    )]
    SeveralServers,
    /// Two have one name.
    #[say(
        en = "two arms are called `{name}`",
        zh = "有两个对象都名为 `{name}`",
        hint(
            en = "give each a name: tomcat:10.1.29,name=one tomcat:10.1.29,name=two",
            zh = "请为每个对象命名：tomcat:10.1.29,name=one tomcat:10.1.29,name=two"
        )
    )]
    SameName { name: String },
    /// There is no application of that name.
    #[say(
        en = "unknown application `{app}`",
        zh = "没有名为 `{app}` 的应用",
        hint(en = "applications: {known:commas}", zh = "可用的应用：{known:commas}")
    )]
    UnknownApp {
        /// What was asked for.
        app: String,
        /// The applications that there are.
        known: Vec<String>,
    },
    /// The server of an arm cannot run the application.
    #[say(
        en = "`{server}` runs no servlets, and the application `{app}` needs them",
        zh = "`{server}` 不支持 servlet，而应用 `{app}` 需要 servlet",
        hint(
            en = "applications without servlets: {routed:commas}",
            zh = "不需要 servlet 的应用：{routed:commas}"
        )
    )]
    NeedsServlets {
        /// The application.
        app: String,
        /// The server, which runs no servlets.
        server: String,
        /// The applications that it runs.
        routed: Vec<String>,
    },
    /// The application does not answer the path.
    #[say(
        en = "`{app}` does not answer `{path}`",
        zh = "`{app}` 不响应 `{path}`",
        hint(en = "`{app}` answers {paths:commas}", zh = "`{app}` 响应的路径：{paths:commas}")
    )]
    OtherPath {
        /// The application.
        app: String,
        /// What was asked for.
        path: String,
        /// The paths that it answers.
        paths: Vec<String>,
    },
    /// `--arm` names none of the file's.
    #[say(
        en = "no arm is called `{name}`",
        zh = "没有名为 `{name}` 的对象",
        hint(
            en = "{nearest?did you mean `{}`?|the arms are: {arms:commas}}",
            zh = "{nearest?是否想写 `{}`？|可选的对象：{arms:commas}}"
        )
    )]
    Unknown {
        /// What was asked for.
        name: String,
        /// The arm that was probably meant.
        nearest: Option<String>,
        /// The arms of the file.
        arms: Vec<String>,
    },
    /// `--arm` leaves nothing to compare the baseline with.
    #[say(
        en = "only the baseline `{baseline}` is left",
        zh = "只剩下基线 `{baseline}`",
        hint(en = "name another --arm", zh = "请再用 --arm 指定一个对象")
    )]
    OnlyBaseline { baseline: String },
}
