//! [`Obstacle`]: what cannot become a part of a scenario, and where it is.

use say::Say;

/// Where in the source something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub enum Place {
    /// A line, from 1.
    #[say(en = "line {0}", zh = "第 {0} 行")]
    Line(usize),
    /// An entry of an archive or a recording, from 1.
    #[say(en = "entry {0}", zh = "第 {0} 条")]
    Entry(usize),
}

impl Place {
    /// A line; `None` for the line 0 of parsers that do not know it.
    pub(crate) fn line(number: usize) -> Option<Self> {
        (number > 0).then_some(Self::Line(number))
    }
}

/// Something in the source that cannot become a part of a scenario.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
#[say(
    en = "{place?{}: }{request?{}: }{what}",
    zh = "{place?{}：}{request?{}：}{what}",
    hint(from = what)
)]
pub struct Obstacle {
    /// Where it is; `None` for the whole source.
    pub place: Option<Place>,
    /// The request that cannot be sent as it was: its method and address; `None` where that is not known.
    pub request: Option<String>,
    /// What it is.
    pub what: Unsupported,
}

impl Obstacle {
    /// An obstacle of no request, or of one that is not known yet.
    pub const fn new(place: Option<Place>, what: Unsupported) -> Self {
        Self { place, request: None, what }
    }
}

/// What cannot become a part of a scenario.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum Unsupported {
    /// The source is not of the format at all; with what its parser says.
    #[say(en = "cannot be read: {0}", zh = "无法读取：{0}")]
    Unreadable(String),
    /// There is no request in it.
    #[say(en = "there is no request in it", zh = "其中没有请求")]
    Nothing,
    /// An option of curl that is not known.
    #[say(
        en = "curl's option {0} is not known",
        zh = "未知的 curl 选项 {0}",
        hint(en = "leave it out, or write the step by hand", zh = "请去掉它，或手写该步骤")
    )]
    UnknownOption(String),
    /// An option of curl that changes the request in a way that prony cannot.
    #[say(
        en = "prony cannot do what curl's option {0} asks for",
        zh = "prony 无法做到 curl 选项 {0} 的要求",
        hint(en = "leave it out, if the server does not need it", zh = "若服务器不需要，请去掉它")
    )]
    Option(String),
    /// An option of curl without its value.
    #[say(en = "curl's option {0} has no value", zh = "curl 选项 {0} 没有值")]
    NoValue(String),
    /// Something of the shell: a pipe, a command whose output is used.
    #[say(
        en = "`{0}` is for a shell, which an import does not run",
        zh = "`{0}` 需要 shell，而导入不运行 shell",
        hint(en = "write its result into the command line", zh = "请把其结果写进命令行")
    )]
    Shell(String),
    /// A block of the shell: a loop, a condition, a function.
    #[say(
        en = "`{0}` is for a shell, and nothing within it is imported",
        zh = "`{0}` 需要 shell，其中的内容不导入",
        hint(
            en = "write the calls that are made out of it, or import the rest by --skip-unsupported and write the loop into the scenario",
            zh = "请写出实际的调用，或用 --skip-unsupported 导入其余部分，再在场景中写循环"
        )
    )]
    ShellBlock(String),
    /// A variable that stands for a server, which a scenario has to know.
    #[say(
        en = "the server comes from the variable {0}, which has no value here",
        zh = "服务器来自变量 {0}，而此处没有它的值",
        hint(en = "give it one: --set {0}=localhost:8080", zh = "请给出值：--set {0}=localhost:8080")
    )]
    ServerVariable(String),
    /// A body that is put together from a text and a file, or from several files.
    #[say(
        en = "the body is put together from several parts, one of them a file",
        zh = "请求体由多个部分拼成，其中有文件",
        hint(en = "put the whole body into one file", zh = "请把整个请求体放入一个文件")
    )]
    MixedBody,
    /// Headers that are read from a file.
    #[say(
        en = "headers come from the file {0}",
        zh = "请求头来自文件 {0}",
        hint(en = "write them into the command line", zh = "请把它们写进命令行")
    )]
    HeaderFile(String),
    /// A parameter of a command of PowerShell.
    #[say(
        en = "prony cannot do what {0} of PowerShell asks for",
        zh = "prony 无法做到 PowerShell 的 {0} 的要求",
        hint(en = "leave it out, if the server does not need it", zh = "若服务器不需要，请去掉它")
    )]
    PowerShell(String),
    /// A quote that does not end.
    #[say(en = "a quote does not end", zh = "引号没有结束")]
    OpenQuote,
    /// A command other than curl.
    #[say(
        en = "`{0}` is not curl",
        zh = "`{0}` 不是 curl",
        hint(en = "keep only command lines that begin with curl", zh = "请只保留以 curl 开头的命令行")
    )]
    Command(String),
    /// No address in a request.
    #[say(
        en = "`{0}` names no address",
        zh = "`{0}` 没有给出地址",
        hint(en = "write for example http://localhost:8080/path", zh = "例如写 http://localhost:8080/path")
    )]
    NoAddress(String),
    /// A scheme other than http and https.
    #[say(en = "prony speaks http and https, and not {0}", zh = "prony 使用 http 和 https，不支持 {0}")]
    Scheme(String),
    /// A pattern in an address that stands for several.
    #[say(
        en = "`{0}` stands for several addresses",
        zh = "`{0}` 代表多个地址",
        hint(
            en = "write one command line for each, or -g if the brackets are a part of the address",
            zh = "请为每个地址写一条命令行；若括号是地址的一部分，请加 -g"
        )
    )]
    Globbing(String),
    /// A method that scenarios do not have.
    #[say(
        en = "scenarios have no method {0}",
        zh = "场景没有 {0} 方法",
        hint(
            en = "GET, POST, PUT, DELETE, PATCH, HEAD and OPTIONS are sent, in capitals",
            zh = "可发送 GET、POST、PUT、DELETE、PATCH、HEAD 和 OPTIONS（大写）"
        )
    )]
    Method(String),
    /// A body in chunks, by the header `Transfer-Encoding`.
    #[say(
        en = "the body is sent in chunks (Transfer-Encoding), which prony does not do",
        zh = "请求体以分块方式发送（Transfer-Encoding），prony 不支持",
        hint(
            en = "leave the header out, if the server does not need it",
            zh = "若服务器不需要，请去掉该请求头"
        )
    )]
    Chunks,
    /// A name that no header can have.
    #[say(en = "`{0}` is no name of a header", zh = "`{0}` 不是请求头名")]
    HeaderName(String),
    /// A file of a form without a name.
    #[say(
        en = "the source does not name the file of the part `{0}`",
        zh = "来源没有给出 `{0}` 部分的文件名",
        hint(en = "write the name of a file into it", zh = "请写入一个文件名")
    )]
    NamelessFile(String),
    /// A body that is read from stdin.
    #[say(
        en = "the body comes from stdin",
        zh = "请求体来自标准输入",
        hint(en = "put it into a file, and write -d @FILE", zh = "请放入文件并写 -d @FILE")
    )]
    Stdin,
    /// A form field with the content of a file.
    #[say(
        en = "the field `{0}` has its value from a file",
        zh = "字段 `{0}` 的值来自文件",
        hint(en = "write the value into the command line", zh = "请把值写进命令行")
    )]
    FieldFromFile(String),
    /// A body that is not a text.
    #[say(
        en = "the body is no text",
        zh = "请求体不是文本",
        hint(
            en = "put it into a file, and name it in the scenario by body_file",
            zh = "请放入文件，并在场景中用 body_file 指定"
        )
    )]
    BinaryBody,
    /// A multipart form in which a name occurs several times.
    #[say(
        en = "the form has several parts `{0}`, with others between them",
        zh = "表单有多个名为 `{0}` 的部分，且不相邻",
        hint(en = "put them one behind the other", zh = "请将其依次相邻排列")
    )]
    RepeatedPart(String),
    /// A line that is no part of a target of vegeta.
    #[say(
        en = "`{0}` is no part of a target",
        zh = "`{0}` 不是目标的一部分",
        hint(
            en = "a target is a line as GET http://localhost:8080/, then headers, then @FILE",
            zh = "目标由 GET http://localhost:8080/ 这样的一行、请求头和 @FILE 组成"
        )
    )]
    TargetLine(String),
    /// A version of the format that is not read.
    #[say(
        en = "{0} is not read",
        zh = "不读取 {0}",
        hint(
            en = "Swagger 2.0, OpenAPI 3.0 and 3.1 and Postman v2 are; converters make one of them from older ones",
            zh = "支持 Swagger 2.0、OpenAPI 3.0 和 3.1 以及 Postman v2；较旧的版本可用转换器转换"
        )
    )]
    Version(String),
    /// A reference to something that is not there.
    #[say(
        en = "`{0}` is neither in this document nor in a file beside it",
        zh = "`{0}` 既不在该文档中，也不在其旁边的文件中",
        hint(
            en = "put the file there, or bundle the documents into one",
            zh = "请把文件放到该处，或把各文档合并为一个"
        )
    )]
    Reference(String),
    /// A value of a variable that a script sets.
    #[say(
        en = "a script sets the variable {0} in a way that is not read",
        zh = "脚本以无法读取的方式设置变量 {0}",
        hint(
            en = "give it a value, --set {0}=…, or take it from an answer in the scenario: extract = {{ {0} = {{ json = \"$.…\" }} }}",
            zh = "请给出值 --set {0}=…，或在场景中从响应提取：extract = {{ {0} = {{ json = \"$.…\" }} }}"
        )
    )]
    ScriptSets(String),
    /// A script that changes requests.
    #[say(
        en = "a script changes requests by {0}, and scripts do not run",
        zh = "脚本用 {0} 改变请求，而脚本不会运行",
        hint(
            en = "write the request as it is sent, or a step of its own for what the script sends",
            zh = "请按实际发送的样子写该请求，或为脚本发送的内容写单独的步骤"
        )
    )]
    Script(String),
    /// A value that is made anew each time.
    #[say(
        en = "prony makes no values of {{{{${0}}}}}",
        zh = "prony 不生成 {{{{${0}}}}} 的值",
        hint(
            en = "$guid, $timestamp and $randomInt are made; otherwise write a value",
            zh = "支持 $guid、$timestamp 和 $randomInt；其他请写出值"
        )
    )]
    Dynamic(String),
    /// A way to authenticate.
    #[say(
        en = "prony does not authenticate by {0}",
        zh = "prony 不支持 {0} 认证",
        hint(en = "basic, bearer and keys are sent", zh = "支持 basic、bearer 和 API key")
    )]
    Authorization(String),
    /// A part of an answer that a request names.
    #[say(
        en = "{{{{{0}}}}} is no part of an answer above that is read",
        zh = "{{{{{0}}}}} 不是前面响应中可读取的部分",
        hint(
            en = "name a request above by # @name, and a header or a JSONPath of its answer",
            zh = "请用 # @name 命名前面的请求，并写其响应头或 JSONPath"
        )
    )]
    NamedPart(String),
    /// Lines behind a request that seem to be no body.
    #[say(
        en = "lines behind an empty line are the body, and this {0} has some without a Content-Type",
        zh = "空行之后的各行是请求体，而此 {0} 请求有这样的行却没有 Content-Type",
        hint(
            en = "write headers without an empty line before them, and parameters into the address; or give the body its Content-Type",
            zh = "请求头之前不要有空行，参数请写进地址；或给请求体写上 Content-Type"
        )
    )]
    OddBody(String),
    /// A file that is put into a body and cannot be read.
    #[say(
        en = "the file {0}, which is a part of the body, cannot be read",
        zh = "无法读取作为请求体一部分的文件 {0}",
        hint(en = "put it beside the file with the requests", zh = "请把它放在请求文件旁边")
    )]
    Include(String),
    /// An environment that is not there.
    #[say(
        en = "there is no environment {file}: {why}",
        zh = "没有环境 {file}：{why}",
        hint(
            en = "--env names an environment of http-client.env.json, or the file of one for Postman",
            zh = "--env 为 http-client.env.json 中的环境名；Postman 则为环境文件"
        )
    )]
    NoEnvironment {
        file: String,
        /// What the system says, or the environments that there are.
        why: String,
    },
    /// Lines of an access log that cannot be read.
    #[say(
        en = "{count} lines are not written as the others, the first one `{example}`",
        zh = "有 {count} 行格式不同，首行为 `{example}`",
        hint(
            en = "--pattern tells how a line is made, as AccessLogValve has it: --pattern '%h %l %u %t \"%r\" %s %b'",
            zh = "--pattern 说明行的格式，与 AccessLogValve 相同：--pattern '%h %l %u %t \"%r\" %s %b'"
        )
    )]
    LogLines {
        /// The first of them.
        example: String,
        count: usize,
    },
    /// Requests of an access log whose bodies it does not have.
    #[say(
        en = "{count} requests are by {method}, and a log does not have their bodies",
        zh = "有 {count} 个 {method} 请求，而日志没有它们的请求体",
        hint(
            en = "record them by prony record, which has the bodies",
            zh = "请用 prony record 录制，它含有请求体"
        )
    )]
    BodiesNotLogged { method: String, count: usize },
    /// A pattern that does not tell the request.
    #[say(
        en = "the pattern `{0}` does not tell the request",
        zh = "格式 `{0}` 没有给出请求",
        hint(en = "it needs %r, or %m and %U%q", zh = "需要 %r，或 %m 和 %U%q")
    )]
    Pattern(String),
    /// A media type of a body for which no sample can be made.
    #[say(en = "no sample can be made of {0}", zh = "无法为 {0} 生成样例")]
    MediaType(String),
    /// A part of a plan that a scenario file cannot say.
    #[say(
        en = "{0}",
        zh = "{0}",
        hint(en = "prony load --jmx runs it from the plan itself", zh = "prony load --jmx 可直接运行该计划")
    )]
    Plan(PlanPart),
}

impl Unsupported {
    /// What is the same for obstacles that differ only in what they are about.
    pub const fn kind(&self) -> UnsupportedKind {
        match self {
            Self::Plan(part) => UnsupportedKind::Plan(*part),
            other => UnsupportedKind::Other(std::mem::discriminant(other)),
        }
    }
}

/// A kind of obstacles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnsupportedKind {
    Plan(PlanPart),
    Other(std::mem::Discriminant<Unsupported>),
}

/// A part of a plan that a scenario file cannot say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub enum PlanPart {
    /// A group that runs before or behind the load.
    #[say(
        en = "a scenario file has no groups that run before or behind the load",
        zh = "场景文件没有在负载之前或之后运行的组"
    )]
    Phase,
    /// Groups that run one after the other.
    #[say(en = "a scenario file has no groups that run one after the other", zh = "场景文件没有依次运行的组")]
    Serial,
    /// Sessions that begin at a rate of the plan's own.
    #[say(en = "a scenario file does not say when sessions begin", zh = "场景文件不规定会话何时开始")]
    Arrivals,
    /// What a failure does.
    #[say(
        en = "a scenario file cannot say this for what a failure does",
        zh = "场景文件无法规定失败时这样做"
    )]
    OnFailure,
    /// Cookies from the start.
    #[say(en = "a scenario file has no cookies from the start", zh = "场景文件没有初始 Cookie")]
    OwnCookies,
    /// A server that is known only when the request is sent.
    #[say(en = "a scenario file names the server of each request", zh = "场景文件须写明每个请求的服务器")]
    Server,
    /// A timeout that is computed for each request.
    #[say(en = "a scenario file writes down its timeouts", zh = "场景文件须写明超时时间")]
    Timeout,
    /// Digest authentication.
    #[say(en = "a scenario file answers no challenges for authentication", zh = "场景文件不回应认证质询")]
    Digest,
    /// Users who wait for each other.
    #[say(en = "users of a scenario file do not wait for each other", zh = "场景文件的用户不会互相等待")]
    Meeting,
    /// Steps that are repeated for a time.
    #[say(en = "a scenario file has no loops that last for a time", zh = "场景文件没有按时间持续的循环")]
    Runtime,
    /// A script.
    #[say(en = "a scenario file has no scripts", zh = "场景文件没有脚本")]
    Script,
    /// A function, or arguments of it.
    #[say(
        en = "a scenario file does not have this function, or not with these arguments",
        zh = "场景文件没有此函数，或不支持这些参数"
    )]
    Function,
    /// An encoded text that contains a function.
    #[say(en = "a scenario file cannot encode what a function gives", zh = "场景文件无法对函数的结果编码")]
    Encoded,
    /// A dollar sign before a variable.
    #[say(
        en = "a scenario file cannot have a dollar sign before a variable",
        zh = "场景文件的变量之前不能有美元符号"
    )]
    Dollar,
    /// A list that no extractor makes, or a part of one.
    #[say(
        en = "a scenario file has no lists but those that extractors make in steps above",
        zh = "场景文件只有由前面步骤的提取器产生的列表"
    )]
    List,
    /// The number of a pass.
    #[say(en = "a scenario file does not number the passes of a loop", zh = "场景文件不为循环的各遍编号")]
    Index,
    /// What is done if a condition does not hold.
    #[say(
        en = "a scenario file has no steps for a condition that does not hold",
        zh = "场景文件没有条件不成立时的步骤"
    )]
    Else,
    /// Whether a variable is set.
    #[say(en = "a scenario file cannot ask whether a variable is set", zh = "场景文件无法判断变量是否已设置")]
    SetTest,
    /// Whether the last request was right.
    #[say(
        en = "a scenario file cannot ask whether the last request was right",
        zh = "场景文件无法判断上一请求是否正确"
    )]
    LastOk,
    /// Quotes of both kinds in a condition.
    #[say(
        en = "a condition of a scenario file cannot have quotes of both kinds",
        zh = "场景文件的条件不能同时含有两种引号"
    )]
    Quotes,
    /// A part of the passes other than a percentage of all.
    #[say(
        en = "a scenario file knows only a percentage of the passes of all users",
        zh = "场景文件只支持所有用户各遍的百分比"
    )]
    Share,
    /// One of several branches.
    #[say(en = "a scenario file does not choose among steps", zh = "场景文件不在步骤之间选择")]
    Branches,
    /// Stopping something.
    #[say(
        en = "a scenario file does not stop users, loops or passes",
        zh = "场景文件不停止用户、循环或某一遍"
    )]
    Stop,
    /// A row of data that is not taken at the begin of a session.
    #[say(
        en = "in a scenario file, rows of data are taken at the begin of a session only",
        zh = "在场景文件中，数据行只在会话开始时取用"
    )]
    Row,
    /// A mark at the end of data.
    #[say(en = "a scenario file does not mark the end of data", zh = "场景文件不标记数据的结尾")]
    EndMark,
    /// A table of data in another form.
    #[say(
        en = "a scenario file cannot read this table of data as the plan does",
        zh = "场景文件无法像计划那样读取该数据表"
    )]
    Table,
    /// A counter other than 1, 2, 3 over all users.
    #[say(
        en = "counters of a scenario file count 1, 2, 3 over all users",
        zh = "场景文件的计数器对所有用户按 1、2、3 计数"
    )]
    Counter,
    /// A pause.
    #[say(en = "a scenario file cannot say this pause", zh = "场景文件无法表达此停顿")]
    Pause,
    /// A method.
    #[say(en = "a scenario file does not have this method", zh = "场景文件没有此方法")]
    Method,
    /// A path.
    #[say(en = "a path of a scenario file begins with a slash", zh = "场景文件的路径以斜杠开头")]
    Path,
    /// A header whose name has a variable.
    #[say(en = "names of headers have no variables in a scenario file", zh = "场景文件的请求头名不含变量")]
    HeaderName,
    /// Content that is in no file.
    #[say(en = "a scenario file takes bytes from files only", zh = "场景文件的字节只来自文件")]
    File,
    /// A part of a multipart form.
    #[say(
        en = "a scenario file cannot say this part of a multipart form",
        zh = "场景文件无法表达 multipart 表单的这一部分"
    )]
    PartName,
    /// A part of an answer.
    #[say(
        en = "extractors of a scenario file look at the body, headers and cookies",
        zh = "场景文件的提取器只查看响应体、响应头和 Cookie"
    )]
    AnswerPart,
    /// Several groups of a regular expression.
    #[say(
        en = "a scenario file takes one group of a regular expression",
        zh = "场景文件只取正则表达式的一个组"
    )]
    Groups,
    /// Two extractors for one variable.
    #[say(
        en = "a step of a scenario file takes one value into a variable",
        zh = "场景文件的一个步骤只向一个变量取一个值"
    )]
    ExtractTwice,
    /// What makes an answer right.
    #[say(en = "a scenario file does not have this check", zh = "场景文件没有此检查")]
    Check,
}
