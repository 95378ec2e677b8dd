//! [`Obstacle`]: something in a plan that cannot run here, with its place and what to do about it.

use say::Say;
use traffic::scenario::MOST_SERVERS;

/// Something in a plan that cannot run here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// The file, if it is not the plan itself but one that the plan includes.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: u32,
    /// The class of the element.
    pub class: String,
    /// The name that the user gave the element.
    pub name: String,
    pub what: ObstacleKind,
}

/// What cannot run here.
#[derive(Clone, Debug, PartialEq, Eq, Say)]
pub enum ObstacleKind {
    /// An element of JMeter that is not known here.
    #[say(en = "this kind of element is not supported", zh = "不支持这类元件")]
    Element,
    /// An element of a plug-in that is not known here.
    #[say(
        en = "this element belongs to a plug-in that is not supported",
        zh = "该元件属于不受支持的插件",
        hint(en = "use an element of JMeter itself in its place", zh = "改用 JMeter 自带的元件")
    )]
    Plugin,
    /// A setting that cannot be followed.
    #[say(transparent)]
    Setting(Unsupported),
    /// A function that is not known here.
    #[say(
        en = "the function `{0}` is not supported",
        zh = "不支持函数 `{0}`",
        hint(
            en = "give the value with -Jname=value and ${{__P(name)}}",
            zh = "用 -Jname=value 和 ${{__P(name)}} 给出该值"
        )
    )]
    Function(String),
    /// A function whose arguments cannot be followed.
    #[say(
        en = "the arguments of the function in `{0}` are not supported",
        zh = "不支持 `{0}` 中函数的参数",
        hint(
            en = "give the value with -Jname=value and ${{__P(name)}}",
            zh = "用 -Jname=value 和 ${{__P(name)}} 给出该值"
        )
    )]
    Arguments(String),
    /// A function call without its closing brace.
    #[say(
        en = "the call of `{0}` has no closing brace",
        zh = "对 `{0}` 的调用没有右花括号",
        hint(en = "close the call with )}}", zh = "用 )}} 结束调用")
    )]
    Unclosed(String),
    /// A script that needs a JVM.
    #[say(
        en = "the {language} script uses {what}, which is not supported",
        zh = "{language} 脚本用到了不受支持的 {what}",
        hint(
            en = "replace the script by an extractor, an assertion or a function",
            zh = "用提取器、断言或函数代替该脚本"
        )
    )]
    Script {
        language: String,
        /// What it uses.
        what: String,
    },
    /// A value that has to be known before the load starts.
    #[say(
        en = "`{property}` is `{text}`, which is not known before the load starts",
        zh = "`{property}` 为 `{text}`，在压测开始前无法确定",
        hint(
            en = "write the value down, or give it with -Jname=value and ${{__P(name)}}",
            zh = "直接写出该值，或用 -Jname=value 和 ${{__P(name)}} 给出"
        )
    )]
    NotFixed { property: String, text: String },
    /// A part of the address of a server that is known only while the load runs.
    #[say(
        en = "`{property}` is `{text}`, so that it is not known before the load starts which server is meant",
        zh = "`{property}` 为 `{text}`，在压测开始前无法确定是哪台服务器",
        hint(
            en = "give one URL for all requests (prony load URL --jmx FILE), or the value with -Jname=value and ${{__P(name)}}",
            zh = "为所有请求给出一个 URL（prony load URL --jmx FILE），或用 -Jname=value 和 ${{__P(name)}} 给出该值"
        )
    )]
    NoFixedServer { property: String, text: String },
    /// A path or query with a variable that nothing sets; JMeter cannot send such a URL.
    #[say(
        en = "the URL has the variable `{0}`, which nothing sets, and JMeter cannot send its braces",
        zh = "URL 中的变量 `{0}` 从未被赋值，而 JMeter 无法发送其花括号",
        hint(en = "define it in User Defined Variables", zh = "在“用户定义的变量”中定义它")
    )]
    NeverSet(String),
    /// A URL with a function whose name has letters of another case; JMeter cannot send such a URL.
    #[say(
        en = "the URL has `${{{name}}}`, which JMeter does not know and whose braces it cannot send",
        zh = "URL 含有 `${{{name}}}`：JMeter 不认识它，也无法发送其花括号",
        hint(en = "the function is called `{known}`", zh = "该函数名为 `{known}`")
    )]
    Misspelt { name: String, known: &'static str },
    /// A path or query with a character that Java takes for no part of a URL; JMeter cannot send such a URL.
    #[say(
        en = "the URL has the character `{0}`, which JMeter cannot send",
        zh = "URL 中的字符 `{0}` 无法由 JMeter 发送",
        hint(
            en = "encode it with percent, or let the argument be encoded",
            zh = "用百分号编码该字符，或勾选该参数的编码"
        )
    )]
    IllegalInUrl(char),
    /// A value that should be a number.
    #[say(
        en = "`{property}` is `{text}`, which is no number",
        zh = "`{property}` 为 `{text}`，不是数字",
        hint(en = "write a number", zh = "写一个数字")
    )]
    NoNumber { property: String, text: String },
    /// A file that cannot be read.
    #[say(
        en = "the file `{path}` cannot be read: {why}",
        zh = "无法读取文件 `{path}`：{why}",
        hint(
            en = "a path is looked for in the working folder, and then beside the plan",
            zh = "先在当前文件夹中查找，再在计划所在的文件夹中查找"
        )
    )]
    File {
        /// The file, as the plan names it.
        path: String,
        why: String,
    },
    /// A file of data that cannot be understood.
    #[say(
        en = "the file `{path}` is no table of data",
        zh = "文件 `{path}` 不是数据表",
        hint(
            en = "it needs a line for each row, with as many cells as there are names",
            zh = "每行一条数据，单元格数与名称数相同"
        )
    )]
    Data {
        /// The file, as the plan names it.
        path: String,
    },
    /// A regular expression that is not supported.
    #[say(
        en = "the regular expression `{pattern}` is not supported: {why}",
        zh = "不支持正则表达式 `{pattern}`：{why}",
        hint(
            en = "write it without looking around and without references to groups",
            zh = "不要使用环视和对分组的引用"
        )
    )]
    Regex { pattern: String, why: String },
    /// A JSONPath that is not supported.
    #[say(
        en = "the JSONPath `{0}` is not supported",
        zh = "不支持 JSONPath `{0}`",
        hint(
            en = "use names, numbers, [*], .. and filters that compare",
            zh = "可用名称、序号、[*]、.. 和比较过滤器"
        )
    )]
    JsonPath(String),
    /// An XPath that is not supported.
    #[say(
        en = "the XPath `{0}` is not supported",
        zh = "不支持 XPath `{0}`",
        hint(
            en = "use paths of names, predicates that compare, and functions such as contains and count",
            zh = "可用由名称组成的路径、比较谓词和 contains、count 等函数"
        )
    )]
    XPath(String),
    /// A selector of CSS that is not supported.
    #[say(
        en = "the CSS selector `{0}` is not supported",
        zh = "不支持 CSS 选择器 `{0}`",
        hint(
            en = "use names, classes, identifiers, attributes and the usual pseudo-classes",
            zh = "可用名称、类、标识、属性和常用伪类"
        )
    )]
    Css(String),
    /// A request to one server too many.
    #[say(
        en = "the request goes to {0}, and a plan may name fewer than {most} servers",
        zh = "该请求发往 {0}，而计划所指定的服务器须少于 {most} 台",
        hint(
            en = "give one URL for all requests: prony load URL --jmx FILE",
            zh = "给出一个 URL：prony load URL --jmx FILE"
        ),
        most = MOST_SERVERS
    )]
    TooManyServers(String),
    /// A request that names no server.
    #[say(
        en = "neither the request nor HTTP Request Defaults name a server",
        zh = "该请求和 HTTP 请求默认值都没有指定服务器",
        hint(en = "give the URL: prony load URL --jmx FILE", zh = "给出一个 URL：prony load URL --jmx FILE")
    )]
    NoServer,
    /// A Module Controller whose target is not in the plan.
    #[say(
        en = "the plan has no element `{0}` to which the Module Controller points",
        zh = "计划中没有模块控制器所指的元件 `{0}`"
    )]
    NoModule(String),
    /// A plan without anything to do.
    #[say(
        en = "the plan has no enabled thread group in which a thread sends a request",
        zh = "计划中没有启用的、有线程发送请求的线程组"
    )]
    NothingToDo,
}

/// The number of further obstacles of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub(crate) enum ObstacleFamily {
    #[say(en = "{0} more {0|element|elements} of kinds that are not supported", zh = " {0} 个不受支持的元件")]
    Elements(usize),
    #[say(en = "{0} more {0|setting|settings} that are not supported", zh = " {0} 项不受支持的设置")]
    Settings(usize),
    #[say(en = "{0} more {0|function|functions} that are not supported", zh = " {0} 个不受支持的函数")]
    Functions(usize),
    #[say(en = "{0} more {0|script|scripts} that are not supported", zh = " {0} 个不受支持的脚本")]
    Scripts(usize),
    #[say(
        en = "{0} more {0|value|values} that are not known before the load starts",
        zh = " {0} 个在压测开始前无法确定的值"
    )]
    Values(usize),
    #[say(en = "{0} more {0|request|requests} whose server is not known", zh = " {0} 个服务器未知的请求")]
    Servers(usize),
    #[say(en = "{0} more {0|file|files} that cannot be read", zh = " {0} 个无法读取的文件")]
    Files(usize),
    #[say(
        en = "{0} more {0|expression|expressions} for answers that are not supported",
        zh = " {0} 个不受支持的应答表达式"
    )]
    Expressions(usize),
    #[say(en = "{0} more {0|mistake|mistakes} in the plan", zh = "计划中的 {0} 处错误")]
    Mistakes(usize),
}

impl ObstacleKind {
    /// The kind under which obstacles that are not listed one by one are counted.
    pub(crate) fn family(&self) -> fn(usize) -> ObstacleFamily {
        match self {
            Self::Element | Self::Plugin => ObstacleFamily::Elements,
            Self::Setting(_) => ObstacleFamily::Settings,
            Self::Function(_) | Self::Arguments(_) => ObstacleFamily::Functions,
            Self::Script { .. } => ObstacleFamily::Scripts,
            Self::NotFixed { .. } => ObstacleFamily::Values,
            Self::NoFixedServer { .. } | Self::NoServer | Self::TooManyServers(_) => ObstacleFamily::Servers,
            Self::File { .. } | Self::Data { .. } => ObstacleFamily::Files,
            Self::Regex { .. } | Self::JsonPath(_) | Self::XPath(_) | Self::Css(_) => {
                ObstacleFamily::Expressions
            }
            Self::Unclosed(_)
            | Self::NeverSet(_)
            | Self::Misspelt { .. }
            | Self::IllegalInUrl(_)
            | Self::NoNumber { .. }
            | Self::NoModule(_)
            | Self::NothingToDo => ObstacleFamily::Mistakes,
        }
    }
}

/// A setting that cannot be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Say)]
pub enum Unsupported {
    /// A source address for requests.
    #[say(en = "requests from a given source address are not supported", zh = "不支持指定请求的源地址")]
    SourceAddress,
    /// A proxy.
    #[say(en = "requests through a proxy are not supported", zh = "不支持通过代理发送请求")]
    Proxy,
    /// A kind of authentication.
    #[say(en = "only basic and digest authentication are supported", zh = "只支持基本认证和摘要认证")]
    Authentication,
    /// Kerberos.
    #[say(
        en = "Kerberos needs tickets of a domain, which prony does not get",
        zh = "Kerberos 需要域的票据，prony 无法获取",
        hint(
            en = "let the server take basic or digest authentication, or a token that a Header Manager sends",
            zh = "让服务器接受基本或摘要认证，或由 Header Manager 发送令牌"
        )
    )]
    Kerberos,
    /// Names resolved in another way.
    #[say(en = "own name servers are not supported", zh = "不支持自定义域名服务器")]
    Names,
    /// A protocol other than HTTP.
    #[say(en = "only http and https are supported", zh = "只支持 http 和 https")]
    Protocol,
    /// An encoding other than UTF-8.
    #[say(en = "only the encoding UTF-8 is supported", zh = "只支持 UTF-8 编码")]
    Encoding,
    /// A scope with the sub-samples of redirects or embedded resources.
    #[say(en = "only the main sample or a variable can be looked at", zh = "只能查看主取样或变量")]
    SubSamples,
    /// The size of something that is no part of an answer's bytes.
    #[say(
        en = "only the size of the body, of the headers or of both can be checked",
        zh = "只能检查正文、应答头或两者的大小"
    )]
    OtherSize,
    /// The text of a document such as a PDF.
    #[say(en = "the text of documents cannot be extracted", zh = "无法提取文档中的文字")]
    Document,
    /// Cookies for a part of the requests.
    #[say(
        en = "cookies are kept for all requests of a thread group or for none",
        zh = "Cookie 要么用于线程组的所有请求，要么不用"
    )]
    PartialCookies,
    /// Different ways to handle cookies in one group.
    #[say(
        en = "a thread group can have only one HTTP Cookie Manager",
        zh = "一个线程组只能有一个 HTTP Cookie 管理器"
    )]
    SeveralCookieManagers,
    /// Interleaving the requests of inner controllers.
    #[say(
        en = "interleaving the requests of inner controllers one by one is not supported",
        zh = "不支持逐个交替内层控制器的请求"
    )]
    InterleavedControllers,
    /// A scheduler that ends a load before it began.
    #[say(en = "the scheduler needs a duration above 0", zh = "调度器需要大于 0 的持续时间")]
    NoDuration,
    /// Sessions at a rate beside users, or beside sessions at a rate that changes otherwise.
    #[say(
        en = "sessions that begin at a rate cannot run beside users of other thread groups, or beside sessions whose rate changes otherwise",
        zh = "按速率开始的会话不能与其他线程组的用户同时运行，也不能与速率变化不同的会话同时运行",
        hint(en = "give these thread groups a plan of their own", zh = "把这些线程组放进单独的计划")
    )]
    SessionsBesideUsers,
    /// A schedule of arrivals that cannot be read.
    #[say(en = "the schedule of arrivals cannot be read", zh = "无法读懂到达计划")]
    Schedule,
    /// A format of numbers that is not known.
    #[say(en = "the format of the number is not supported", zh = "不支持该数字格式")]
    NumberFormat,
    /// A file that is not read as JMeter would.
    #[say(
        en = "the delimiter of quoted data has to be one character",
        zh = "带引号的数据的分隔符必须是一个字符"
    )]
    Delimiter,
    /// Another library for selectors of CSS.
    #[say(
        en = "selectors of CSS are supported as JSoup reads them, not as JODD does",
        zh = "CSS 选择器只按 JSoup 的方式支持，不支持 JODD",
        hint(en = "choose JSOUP in the CSS Selector Extractor", zh = "在 CSS 选择器提取器中选择 JSOUP")
    )]
    Jodd,
    /// Namespaces of XML that cannot be read.
    #[say(
        en = "its namespaces cannot be read",
        zh = "无法读取其中的命名空间",
        hint(en = "write prefix=URI, one a line", zh = "每行写一个 前缀=URI")
    )]
    Namespaces,
    /// Documents that are validated.
    #[say(en = "documents are not validated by their DTD", zh = "不按 DTD 校验文档")]
    Validation,
    /// A session in the form of a request.
    #[say(
        en = "the HTTP URL Re-writing Modifier cannot change the arguments of a request with a body",
        zh = "HTTP URL 重写修饰符无法更改带正文的请求的参数"
    )]
    RewrittenForm,
    /// A request follows links, and only the running load would tell which ones.
    #[say(
        en = "the HTML Link Parser is supported for requests by GET whose server, path and names of arguments are known before the load starts",
        zh = "HTML 链接解析器只支持在压测开始前已知服务器、路径和参数名的 GET 请求"
    )]
    Links,
    /// A way of picking an item that cannot be followed.
    #[say(
        en = "the match number has to be known before the load starts",
        zh = "匹配序号必须在压测开始前确定"
    )]
    MatchNumber,
    /// A mode of a timer.
    #[say(
        en = "this mode of the Constant Throughput Timer is not supported with these thread groups and timers",
        zh = "在这些线程组和定时器下，不支持常数吞吐量定时器的这种模式"
    )]
    TimerMode,
    /// Batches of a timer.
    #[say(
        en = "batches of the Precise Throughput Timer are not supported",
        zh = "不支持精准吞吐量定时器的批次"
    )]
    Batches,
}
