//! What an import tells its user, as values: [`Remark`]s stand in the scenario that is written, [`Obstacle`]s keep it from being
//! written.

mod obstacle;

pub use obstacle::{Obstacle, Place, PlanPart, Unsupported};

use say::{Say, Writer};

/// What was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Command lines of curl.
    Curl,
    /// An HTTP Archive.
    Har,
    OpenApi,
    /// Targets of vegeta.
    Vegeta,
    /// A JMeter plan.
    Jmx,
    /// A collection of Postman.
    Postman,
    /// Requests of the HTTP clients of editors.
    Http,
    /// The log of a server, with a line for each request.
    AccessLog,
    /// Requests that went through the proxy of `prony record`.
    Record,
}

impl Format {
    /// The name on the command line.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Curl => "curl",
            Self::Har => "har",
            Self::OpenApi => "openapi",
            Self::Vegeta => "vegeta",
            Self::Jmx => "jmx",
            Self::Postman => "postman",
            Self::Http => "http",
            Self::AccessLog => "log",
            Self::Record => "record",
        }
    }
}

/// What a reader of a scenario should know.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum Remark {
    /// Where a step comes from.
    #[say(transparent)]
    From(Place),
    /// What the source says about a step.
    #[say(transparent)]
    Says(String),
    /// Requests for files that do not change were left out because this was asked for.
    #[say(
        en = "{count} requests for files that do not change were left out (--no-static).",
        zh = "略去了 {count} 个对不变文件的请求（--no-static）。"
    )]
    StaticLeftOut { count: usize },
    /// Requests to other servers were left out.
    #[say(
        en = "Requests to other servers were left out: {hosts}.",
        zh = "略去了对其他服务器的请求：{hosts}。",
        hosts = Hosts(hosts)
    )]
    OthersLeftOut {
        /// Their hosts, each with the number of requests.
        hosts: Vec<(String, usize)>,
    },
    /// Requests without an answer were left out: blocked, cancelled or failed.
    #[say(
        en = "{count} requests that had no answer were left out.",
        zh = "略去了 {count} 个没有响应的请求。"
    )]
    Unanswered { count: usize },
    /// Preflight requests, which browsers make by themselves, were left out.
    #[say(
        en = "{count} requests by which browsers ask for permission (OPTIONS) were left out.",
        zh = "略去了 {count} 个浏览器自行发出的预检请求（OPTIONS）。"
    )]
    Preflights { count: usize },
    /// Headers that a browser sets by itself were left out.
    #[say(
        en = "Headers that the browser set by itself were left out: {names:commas}. Cookies are kept as \
              answers set them.",
        zh = "略去了浏览器自行设置的请求头：{names:commas}。Cookie 按响应的设置保存。"
    )]
    HeadersLeftOut { names: Vec<String> },
    /// Cookies that no answer has set were sent, and are left out.
    #[say(
        en = "These cookies were sent though no answer here had set them, and are left out: {names:commas}.",
        zh = "以下 Cookie 已发送，但此处没有响应设置过，故略去：{names:commas}。"
    )]
    CookiesBefore { names: Vec<String> },
    /// The step follows a redirect to this address, which was a request of its own in the source.
    #[say(en = "follows a redirect to {to}", zh = "跟随重定向到 {to}")]
    Redirected {
        /// Where it led.
        to: String,
    },
    /// A value of the request was in the answer to an earlier step, and is taken from there.
    #[say(
        en = "${{{variable}}} is taken from the answer to step {step}",
        zh = "${{{variable}}} 取自第 {step} 步的响应"
    )]
    Varies {
        variable: String,
        /// The number of the step, from 1.
        step: usize,
    },
    /// The value is a secret, and is taken from the environment.
    #[say(
        en = "a secret: set the variable {environment} of the environment",
        zh = "机密：请设置环境变量 {environment}"
    )]
    Secret {
        /// The variable of the environment.
        environment: String,
    },
    /// The files of a form are not in the source: they have to be put beside the scenario.
    #[say(
        en = "put these files beside this one: {names:commas}",
        zh = "请将这些文件放在本文件旁边：{names:commas}"
    )]
    Files { names: Vec<String> },
    /// The source keeps a header away that prony sends by itself.
    #[say(
        en = "{names:commas}: the source sends no such header, and prony sends its own",
        zh = "{names:commas}：来源不发送该请求头，而 prony 发送自己的"
    )]
    HeadersTaken { names: Vec<String> },
    /// curl repeats the method that `-X` gives when it follows a redirect.
    #[say(
        en = "curl -X -L repeats {0} behind a redirect by 301, 302 or 303; prony asks there by GET",
        zh = "遇到 301、302 或 303 重定向时，curl -X -L 重复 {0}，而 prony 使用 GET"
    )]
    MethodRepeated(String),
    /// Tests of the source were left out; they do not change what is sent.
    #[say(
        en = "Tests of answers were left out, but for the status that they ask for; scripts do not run.",
        zh = "略去了对响应的测试（所要求的状态除外）；脚本不会运行。"
    )]
    TestsLeftOut,
    /// Variables without a value in the source.
    #[say(
        en = "These variables have no value in the source, and come from the environment: {names:commas}.",
        zh = "以下变量在来源中没有值，取自环境变量：{names:commas}。"
    )]
    Environment { names: Vec<String> },
    /// What was read of an access log.
    #[say(
        en = "{requests} requests of a log. Headers of clients are not sent, and an answer that the log has as 304 is a whole one here.",
        zh = "日志中的 {requests} 个请求。不发送客户端的请求头；日志中的 304 响应在此为完整响应。"
    )]
    Logged { requests: usize },
    /// The value is a parameter of a path.
    #[say(en = "a parameter of a path", zh = "路径参数")]
    Parameter,
    /// The source checked no certificate: `prony load --insecure` does not either.
    #[say(
        en = "any certificate was accepted: give prony load --insecure",
        zh = "当时接受任何证书：请为 prony load 加上 --insecure"
    )]
    Insecure,
    /// The source trusted the certificate authorities of a file.
    #[say(en = "give prony load --cacert {0}", zh = "请为 prony load 加上 --cacert {0}")]
    Authorities(String),
    /// An option of the source that has no meaning for a load was left out.
    #[say(en = "left out: {0}", zh = "略去：{0}")]
    OptionLeftOut(String),
    /// The body is a sample made from a schema.
    #[say(en = "the body is a sample made from its schema", zh = "请求体是根据其 schema 生成的样例")]
    Sample,
    /// The operation is deprecated.
    #[say(en = "deprecated", zh = "已弃用")]
    Deprecated,
    /// Something that is not supported was left out because this was asked for.
    #[say(en = "Left out: {0}", zh = "略去：{0}")]
    Skipped(Obstacle),
    /// What only the import of a JMeter plan tells.
    #[say(transparent)]
    Plan(PlanRemark),
}

/// What a reader of a scenario should know of the JMeter plan from which it comes.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum PlanRemark {
    /// The element from which a step comes.
    #[say(en = "line {line}: {name}", zh = "第 {line} 行：{name}")]
    Element {
        /// Its line, from 1.
        line: usize,
        /// Its class and name.
        name: String,
    },
    /// The number of users.
    #[say(
        en = "The plan has {0} users. How many there are and how long they go on is said to prony load, \
              not here:",
        zh = "该计划有 {0} 个用户。用户数和时长由 prony load 指定，而不在此文件中："
    )]
    Users(u64),
    /// Users who come together; the load says that, and not the scenario.
    #[say(transparent)]
    Wave(Wave),
    /// The samplers of the plan are those of a plug-in for HTTP/2; the version is said to the load, and not in the scenario.
    #[say(
        en = "give prony load --http 2: the plan sends over HTTP/2",
        zh = "请为 prony load 加上 --http 2：该计划使用 HTTP/2"
    )]
    Http2,
    /// Pauses within a group of steps are not a part of its time, as they were in the plan.
    #[say(
        en = "pauses are not a part of the time of a group; in the plan they are",
        zh = "组的时间不含停顿；在计划中则包含"
    )]
    PausesNotCounted,
    /// A redirect by 307 or 308 sends the body again, which JMeter does not follow.
    #[say(
        en = "a redirect by 307 or 308 is followed here; JMeter takes it for the answer",
        zh = "此处会跟随 307 或 308 重定向；JMeter 则把它当作响应"
    )]
    BodiesRepeated,
    /// A URL that is no URL with the value of a variable is sent.
    #[say(
        en = "a URL with a character that URLs cannot have is sent here; JMeter fails the step instead",
        zh = "含有 URL 不允许的字符的 URL 在此处会被发送；JMeter 则使该步骤失败"
    )]
    UrlNotChecked,
}

/// Users of a thread group who come together.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
#[say(
    en = "  {group}: {users} users within {ramp}{later?, the first after {}}{duration?, for {}}",
    zh = "  {group}：{ramp} 内 {users} 个用户{later?，首个在 {} 后}{duration?，持续 {}}",
    later = (delay != "0s").then_some(delay)
)]
pub struct Wave {
    pub group: String,
    pub users: u64,
    /// When the first comes, as files write times.
    pub delay: String,
    /// Over which time they come.
    pub ramp: String,
    /// How long they go on; `None` without end.
    pub duration: Option<String>,
}

/// Hosts, each with the number of its requests: `a.example (2), b.example (3)`.
struct Hosts<'a>(&'a [(String, usize)]);

impl Say for Hosts<'_> {
    fn say(&self, out: &mut Writer) {
        let hosts = self.0.iter().map(|(host, count)| format!("{host} ({count})"));
        out.value(hosts.collect::<Vec<_>>().join(", "));
    }
}
