//! [`PlanDifference`]: what is done otherwise than a JMeter plan asks for.

use say::Say;
use serde::{Deserialize, Serialize};

/// What is done otherwise than the JMeter plan asks for from which a program was made, although nothing of the plan is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Say, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlanDifference {
    /// Its listeners do not run: the report of prony takes their place.
    #[say(
        en = "the plan's listeners do not run: prony reports by itself",
        zh = "计划的监听器不运行：由 prony 自己报告"
    )]
    Listeners,
    /// Elements that only serve recording or debugging do not run.
    #[say(
        en = "what the plan has for recording and debugging does not run",
        zh = "计划中用于录制和调试的元件不运行"
    )]
    Tools,
    /// Answers are not cached.
    #[say(
        en = "the plan has an HTTP Cache Manager: prony caches no answers, and asks for everything again",
        zh = "计划有 HTTP 缓存管理器：prony 不缓存响应，每次都重新请求"
    )]
    Cache,
    /// The server's name is resolved once.
    #[say(
        en = "the plan has a DNS Cache Manager: prony resolves the names of servers once, before the load",
        zh = "计划有 DNS 缓存管理器：prony 在负载之前解析一次服务器名"
    )]
    Names,
    /// What pages embed is fetched one after another, only from their own server, and counted as requests of its own. Style sheets and
    /// frames are not looked into.
    #[say(
        en = "embedded resources of pages are fetched one after another and counted as requests; those of other servers, of style sheets and of frames are left out",
        zh = "页面的嵌入资源逐个获取并计为请求；其他服务器、样式表和框架中的资源不获取"
    )]
    Resources,
    /// Extractors and assertions for sub-samples, too, look at the last answer behind redirects only.
    #[say(
        en = "extractors and assertions for sub-samples look at the last answer only, not at redirects and embedded resources",
        zh = "针对子取样的提取器和断言只查看最后的响应，不查看重定向和嵌入资源"
    )]
    SubSamples,
    /// Basic authentication is sent with the first request, without waiting for a challenge.
    #[say(
        en = "basic authentication is sent with the first request, and JMeter awaits a challenge",
        zh = "基本认证随第一个请求发送，而 JMeter 等待质询"
    )]
    Challenge,
    /// Values of variables are sent in UTF-8.
    #[say(
        en = "the plan asks for another encoding than UTF-8: values of variables with other characters than those of ASCII are sent in UTF-8",
        zh = "计划要求 UTF-8 以外的编码：变量值中的非 ASCII 字符仍以 UTF-8 发送"
    )]
    Encoding,
    /// HTML is read in another way than by Tidy.
    #[say(
        en = "XPaths in HTML (Use Tidy) are evaluated in the page as HTML 4 says; what JMeter makes of a faulty page may be another",
        zh = "对 HTML 的 XPath（Use Tidy）按 HTML 4 的规则求值；对有错误的页面，JMeter 的结果可能不同"
    )]
    Tidy,
    /// Random texts for which the plan names no characters are of ASCII letters and digits.
    #[say(
        en = "random texts for which the plan names no characters are of letters and digits, and JMeter draws any character of Unicode",
        zh = "计划未指定字符的随机文本由字母和数字组成，而 JMeter 抽取任意 Unicode 字符"
    )]
    RandomLetters,
    /// Links are taken from anchors and frames, not from forms.
    #[say(
        en = "the plan has an HTML Link Parser: it follows links and frames of the request's server and port, not forms",
        zh = "计划有 HTML 链接解析器：只跟随请求所在服务器和端口的链接和框架，不跟随表单"
    )]
    Forms,
    /// A Precise Throughput Timer draws moments, and not their number.
    #[say(
        en = "the plan has a Precise Throughput Timer: samples begin at random moments as in JMeter, which draws exactly as many as are asked for within its duration, and prony so many on average",
        zh = "计划有精准吞吐量定时器：取样与 JMeter 一样在随机时刻开始；JMeter 在其持续时间内恰好抽取所要求的个数，prony 则为平均值"
    )]
    RandomMoments,
    /// Functions whose names JMeter does not know are sent as their texts.
    #[say(
        en = "the plan calls functions by names that JMeter does not know, which differ from those of its functions by the case of letters: their calls are sent as they are written, as JMeter sends them",
        zh = "计划调用了 JMeter 不认识的函数名（与其函数仅大小写不同）：与 JMeter 一样，调用按原文发送"
    )]
    Misspelt,
    /// What an asynchronous controller or sampler sends at the same time is sent one after another.
    #[say(
        en = "the plan sends several requests of a user at the same time over HTTP/2 (asynchronous): prony sends them one after another",
        zh = "计划通过 HTTP/2 让一个用户同时发送多个请求（异步）：prony 逐个发送"
    )]
    Together,
    /// Samplers of JMeter send over HTTP/1.1 and those of a plug-in over HTTP/2; a load has one version.
    #[say(
        en = "the plan sends some requests over HTTP/1.1 and others over HTTP/2: prony sends all of them over one version",
        zh = "计划的部分请求使用 HTTP/1.1，其余使用 HTTP/2：prony 全部使用同一版本"
    )]
    OneVersion,
}
