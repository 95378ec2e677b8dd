//! [`CpuUse`]: what a server's CPU time is used for, and by which method of the application.

use super::place::InMethod;
use model::units::{Bytes, Count, Seconds, Share};
use say::{Say, Writer};
use serde::{Deserialize, Serialize};

/// Work that costs CPU time and is known by its methods. Of several kinds on one stack the first one here counts: a log that makes an
/// exception to find its caller spends the time for the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Say, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CpuWork {
    /// A logger walks the stack to find the method that logs.
    #[say(
        en = "finds the calling line for the log",
        zh = "为日志查找调用位置",
        hint(
            en = "take the caller out of the log's pattern (`%L`, `%M`, `%C`, `%F`): every line walks the whole stack for it",
            zh = "从日志格式中去掉调用位置（`%L`、`%M`、`%C`、`%F`）：每写一行都要遍历整个调用栈"
        )
    )]
    LogLocation,
    /// Texts are compiled that the application runs afterwards.
    #[say(
        en = "compiles scripts, templates or expressions",
        zh = "编译脚本、模板或表达式",
        hint(
            en = "compile it once, when its text changes, keep what came of it, and give it only its values at each call: each compilation \
                  may also define classes, which fill the metaspace",
            zh = "只在文本变化时编译一次并保存结果，每次调用只传入变量：每次编译还可能定义新类，占满元空间"
        )
    )]
    ScriptCompile,
    /// Exceptions are made, and their stacks filled in or written.
    #[say(
        en = "makes exceptions and their stack traces",
        zh = "创建异常及其调用栈",
        hint(
            en = "do not throw for what happens all the time: check first or return nothing; an exception without a stack \
                  (`writableStackTrace = false`) costs little",
            zh = "经常发生的情况不要抛异常：先检查，或返回空值；不带调用栈的异常（`writableStackTrace = false`）代价很小"
        )
    )]
    Exceptions,
    /// Regular expressions are compiled.
    #[say(
        en = "compiles regular expressions",
        zh = "编译正则表达式",
        hint(
            en = "compile the pattern once, into a `static final Pattern`: `matches`, `replaceAll` and `split` of a text compile it \
                  at each call",
            zh = "只编译一次，保存为 `static final Pattern`：字符串的 `matches`、`replaceAll` 与 `split` 每次调用都会重新编译"
        )
    )]
    RegexCompile,
    /// Mappers, parsers or their factories are made, which look through classes.
    #[say(
        en = "makes mappers or parsers and looks through classes for them",
        zh = "创建映射器或解析器，并为其检查各个类",
        hint(
            en = "make the mapper once and share it (`ObjectMapper`, `Gson`, `JAXBContext` and factories of parsers): a new one looks \
                  through all classes again",
            zh = "映射器只创建一次并共用（`ObjectMapper`、`Gson`、`JAXBContext` 和解析器工厂）：新建的会重新检查所有类"
        )
    )]
    MapperMade,
    /// Classes, methods and fields are looked up by name.
    #[say(
        en = "looks up classes, methods or fields by name",
        zh = "按名称查找类、方法或字段",
        hint(en = "look them up once and keep what was found", zh = "只查找一次，并保存结果")
    )]
    Lookup,
    /// Handshakes of TLS.
    #[say(
        en = "does handshakes of TLS",
        zh = "进行 TLS 握手",
        hint(
            en = "keep connections, and share one client for all requests: each new connection does a handshake",
            zh = "保持连接，并让所有请求共用一个客户端：每个新连接都要握手"
        )
    )]
    Handshake,
    /// The kernel writes to sockets in small pieces.
    #[say(
        en = "has the kernel write to sockets",
        zh = "让内核写套接字",
        hint(
            en = "collect an answer in a buffer (8 to 32 KiB) and flush it once, at its end: a `PrintWriter` with autoflush, a `flush()` after \
                  each row or a stream without a buffer makes a call of the kernel, and often a packet, of each piece",
            zh = "把应答收集在缓冲区（8 到 32 KiB）中，结束时只刷新一次：自动刷新的 `PrintWriter`、每行之后的 `flush()` 或没有缓冲的流，\
                  每一小段都是一次内核调用，往往还是一个数据包"
        )
    )]
    SocketWrites,
    /// The kernel writes to files in small pieces.
    #[say(
        en = "has the kernel write to files",
        zh = "让内核写文件",
        hint(
            en = "write through a buffer (`BufferedOutputStream`, `BufferedWriter`; of a log `immediateFlush = false` or an asynchronous appender): \
                  without one each piece is a call of the kernel",
            zh = "通过缓冲区写入（`BufferedOutputStream`、`BufferedWriter`；日志用 `immediateFlush = false` 或异步 appender）：没有缓冲时\
                  每一小段都是一次内核调用"
        )
    )]
    FileWrites,
    /// The kernel reads files in small pieces.
    #[say(
        en = "has the kernel read files",
        zh = "让内核读文件",
        hint(
            en = "read in blocks (`BufferedInputStream`, a `ByteBuffer` of some KiB), or once, and keep what was read: each `read()` of a \
                  `RandomAccessFile` or a `FileInputStream` is a call of the kernel",
            zh = "按块读取（`BufferedInputStream`、几 KiB 的 `ByteBuffer`），或只读一次并保存内容：`RandomAccessFile` 或 `FileInputStream` 的\
                  每次 `read()` 都是一次内核调用"
        )
    )]
    FileReads,
    /// The kernel looks up, opens or lists files.
    #[say(
        en = "has the kernel look up, open or list files",
        zh = "让内核查找、打开或列出文件",
        hint(
            en = "keep what was found (whether a file is there, its length, its time, the list of a folder) and look again every few seconds, or let \
                  a `WatchService` tell of changes, instead of asking the file system in each request",
            zh = "保存查到的结果（文件是否存在、长度、时间、目录内容），隔几秒再查一次，或由 `WatchService` 通知变化，而不是每个请求都询问文件系统"
        )
    )]
    FileNames,
    /// Encryption of TLS.
    #[say(
        en = "encrypts for TLS",
        zh = "进行 TLS 加密",
        hint(
            en = "send less over TLS, use OpenSSL (tcnative), or let a proxy in front do it",
            zh = "减少经 TLS 传输的数据、使用 `OpenSSL`（`tcnative`），或交给前端代理"
        )
    )]
    Tls,
    /// Compression of the headers of HTTP/2.
    #[say(
        en = "encodes or decodes headers of HTTP/2 (HPACK)",
        zh = "编码或解码 HTTP/2 首部（HPACK）",
        hint(
            en = "send fewer and shorter headers, and the same ones each time: values that change never come from the dynamic table",
            zh = "减少并缩短首部，且每次发送相同的值：变化的值无法使用动态表"
        )
    )]
    Hpack,
    /// Compression.
    #[say(
        en = "compresses or unpacks",
        zh = "压缩或解压",
        hint(
            en = "compress once and keep the result, use a lower level, or leave it to a proxy in front",
            zh = "只压缩一次并保存结果、降低压缩级别，或交给前端代理"
        )
    )]
    Compression,
    /// Digests, ciphers, random numbers that are safe.
    #[say(
        en = "computes digests, ciphers or secure random numbers",
        zh = "计算摘要、加解密或安全随机数",
        hint(
            en = "compute it once and keep it (a session instead of the password each time), or lower its cost where that is safe",
            zh = "只计算一次并保存（用会话代替每次校验密码），或在安全允许时降低其代价"
        )
    )]
    Crypto,
    /// Lines of a log are made.
    #[say(
        en = "writes lines of a log",
        zh = "写日志",
        hint(
            en = "log less for each request, or at a level that is off; do not join texts for lines that are not written",
            zh = "减少每个请求的日志，或使用已关闭的级别；不要为不输出的日志拼接文本"
        )
    )]
    Logging,
    /// Values of a cache that other programs share become objects.
    #[say(
        en = "parses what it reads from a cache",
        zh = "解析从缓存读取的值",
        hint(
            en = "keep the parsed object in memory for as long as it is good (a local cache with `expireAfterWrite`, or a message when it \
                  changes), or store it so that a request reads only the fields that it needs (`HGET`, `HMGET`)",
            zh = "在有效期内把解析后的对象保存在内存中（带 `expireAfterWrite` 的本地缓存，或在变化时收到通知），或改变存储方式，让请求只读取\
                  需要的字段（`HGET`、`HMGET`）"
        )
    )]
    CachedParse,
    /// Objects become bytes, or the other way round.
    #[say(
        en = "turns objects into bytes or back",
        zh = "序列化或反序列化",
        hint(
            en = "send fewer fields or smaller pages, or keep the bytes of what does not change",
            zh = "减少字段或缩小分页，或保存不变内容的字节"
        )
    )]
    Serialisation,
    /// Regular expressions are matched.
    #[say(
        en = "matches regular expressions",
        zh = "匹配正则表达式",
        hint(
            en = "look for a plain text first, and avoid repetitions within repetitions, which try all ways to match",
            zh = "先查找普通文本，并避免嵌套的重复，它们会尝试所有匹配方式"
        )
    )]
    RegexMatch,
    /// A regular expression is matched that repeats a group in which something is repeated.
    #[say(
        en = "matches a regular expression with a repetition within a repetition",
        zh = "匹配含有嵌套重复的正则表达式",
        hint(
            en = "write the pattern with one repetition instead of two within each other (`(a+)+` as `a+`), let each part begin with what the one before \
                  cannot be, or make the inner one possessive (`a++`): where the text does not fit, all ways to share it out are tried",
            zh = "改写正则表达式，用一个重复代替嵌套的两个（`(a+)+` 写成 `a+`），让每一部分以前一部分不可能包含的字符开头，或把内层改为占有型（`a++`）：\
                  文本不匹配时，会尝试所有的划分方式"
        )
    )]
    RegexNested,
    /// A regular expression is matched that repeats alternatives.
    #[say(
        en = "matches a regular expression that repeats alternatives",
        zh = "匹配重复多选分支的正则表达式",
        hint(
            en = "write a class of characters instead of alternatives (`[ab]*` instead of `(a|b)*`), and let no two of them begin with the same: each \
                  character is a step of the recursion, and each overlap is tried twice",
            zh = "用字符类代替多选分支（`[ab]*` 代替 `(a|b)*`），并避免两个分支以相同内容开头：每个字符都是一层递归，每处重叠都会再试一遍"
        )
    )]
    RegexAlternatives,
    /// A regular expression is searched for that begins with a repetition.
    #[say(
        en = "searches for a regular expression that begins with a repetition",
        zh = "查找以重复开头的正则表达式",
        hint(
            en = "trim or split by index instead (`strip()`, `indexOf`), anchor the pattern, or make its repetition possessive (`\\s++$`): it is \
                  tried from each place of the text, and from each it runs through all that is repeated, so a long run costs its length squared",
            zh = "改用下标修剪或拆分（`strip()`、`indexOf`），锚定正则表达式，或把重复改为占有型（`\\s++$`）：它会从文本的每个位置开始尝试，\
                  每次都走完整段重复，因此一长段的代价是其长度的平方"
        )
    )]
    RegexFromEachPlace,
    /// A regular expression is matched with several repetitions one after another.
    #[say(
        en = "matches a regular expression with several repetitions in a row",
        zh = "匹配含有多个连续重复的正则表达式",
        hint(
            en = "look for the text itself (`contains`, `indexOf`) instead of `.*text.*`, and let a repetition end where the next part begins \
                  (`[^,]*,` instead of `.*,`): otherwise each gives back one character after another until the rest fits",
            zh = "直接查找文本（`contains`、`indexOf`）而不是 `.*text.*`，并让每个重复在下一部分开始处结束（用 `[^,]*,` 代替 `.*,`）：否则每个重复\
                  都要逐个字符回退，直到其余部分匹配"
        )
    )]
    RegexInRow,
    /// Numbers, dates and texts are formatted or parsed.
    #[say(
        en = "formats or parses numbers, dates or texts",
        zh = "格式化或解析数字、日期或文本",
        hint(
            en = "make the format once (`DateTimeFormatter`), and join texts without a format",
            zh = "格式只创建一次（`DateTimeFormatter`），拼接文本时不要用格式化"
        )
    )]
    Formatting,
    /// Numbers of any length.
    #[say(
        en = "computes with `BigDecimal` or `BigInteger`",
        zh = "进行 `BigDecimal` 或 `BigInteger` 运算",
        hint(
            en = "count in whole units with `long`, or round early",
            zh = "用 `long` 以最小单位计数，或尽早舍入"
        )
    )]
    BigNumbers,
    /// Collections are sorted.
    #[say(
        en = "sorts",
        zh = "排序",
        hint(
            en = "keep it sorted, or let the database sort it by an index",
            zh = "保持有序，或让数据库按索引排序"
        )
    )]
    Sorting,
    /// Collections are gone through.
    #[say(
        en = "goes through collections",
        zh = "遍历集合",
        hint(
            en = "look up by key (a map or a set) instead of going through all elements",
            zh = "按键查找（用 `Map` 或 `Set`），不要遍历全部元素"
        )
    )]
    Scanning,
    /// Keys of maps that share a place.
    #[say(
        en = "looks for keys that share a place in a map",
        zh = "在哈希冲突的键中查找",
        hint(
            en = "give the keys a `hashCode` that tells them apart",
            zh = "让键的 `hashCode` 能区分不同的键"
        )
    )]
    Collisions,
    /// Arrays and buffers are copied.
    #[say(
        en = "copies arrays or buffers",
        zh = "复制数组或缓冲区",
        hint(
            en = "copy less: give buffers their size, pass them on instead of copying, and do not change a copy-on-write list often",
            zh = "减少复制：为缓冲区指定大小，传递而不是复制，不要频繁修改写时复制的列表"
        )
    )]
    Copying,
    /// Texts are put together, split or searched.
    #[say(
        en = "puts texts together or takes them apart",
        zh = "拼接或拆分文本",
        hint(
            en = "put a text together once, with one `StringBuilder`, and outside of loops",
            zh = "用一个 `StringBuilder` 一次拼好文本，不要在循环中拼接"
        )
    )]
    Texts,
}

impl CpuWork {
    /// Whether a request does not need it: it can be done once, or not at all.
    pub const fn is_waste(self) -> bool {
        matches!(
            self,
            Self::LogLocation
                | Self::ScriptCompile
                | Self::Exceptions
                | Self::RegexCompile
                | Self::MapperMade
                | Self::Lookup
                | Self::Handshake
                | Self::FileNames
                | Self::Collisions
        )
    }
}

/// Small pieces that are moved by a call of the kernel each.
#[derive(Clone, Copy, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = ", in {per_request:three} calls a request of {each} each",
    zh = "，每个请求 {per_request:three} 次调用，每次 {each}"
)]
pub struct Pieces {
    /// Calls of the kernel per request.
    pub per_request: Count,
    /// What one of them moves, mean.
    pub each: Bytes,
}

/// What a part of a server's CPU time is used for.
#[derive(Clone, Debug, PartialEq, Say, Serialize, Deserialize)]
#[say(
    en = "{share} ({micros:three} µs a request) {work?{}|is spent}{at}{pieces}",
    zh = "{share}（每请求 {micros:three} µs）用于{work?{}|执行}{at}{pieces}",
    micros = per_request.as_micros(),
)]
pub struct CpuUse {
    /// The kind of work; absent where no rule knows it, so that it is that of the method itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub work: Option<CpuWork>,
    /// The method of the application that does most of it, with its line: `shop.Orders.find:42`.
    #[serde(flatten)]
    pub at: InMethod,
    /// Share of the server's CPU time.
    pub share: Share,
    /// CPU time per request.
    pub per_request: Seconds,
    /// The small pieces that the kernel is called for; absent where it is not called for many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pieces: Option<Pieces>,
}

impl CpuUse {
    /// Whether a request does not need it.
    pub fn is_waste(&self) -> bool {
        self.pieces.is_some() || self.work.is_some_and(CpuWork::is_waste)
    }
}

/// What can be done about the work.
#[derive(Debug)]
pub(super) struct Spared<'a> {
    pub(super) work: Option<CpuWork>,
    pub(super) method: Option<&'a str>,
}

/// The advice where no rule knows the work.
#[derive(Say)]
#[say(
    en = "make {method?{}|this} cheaper, or do it less often: look up instead of searching, keep what does not change",
    zh = "降低{method? {} |其}开销或减少执行次数：用查找代替搜索，保存不变的结果"
)]
struct SparedMethod<'a> {
    method: Option<&'a str>,
}

impl Say for Spared<'_> {
    fn say(&self, out: &mut Writer) {
        match self.work {
            Some(work) => work.hint(out),
            None => SparedMethod { method: self.method }.say(out),
        }
    }
}

#[cfg(test)]
pub(super) mod examples {
    use super::*;
    use crate::finding::Examples;

    impl CpuWork {
        /// All kinds.
        pub(in crate::finding) const ALL: [Self; 30] = [
            Self::LogLocation,
            Self::ScriptCompile,
            Self::SocketWrites,
            Self::FileWrites,
            Self::FileReads,
            Self::FileNames,
            Self::CachedParse,
            Self::RegexNested,
            Self::RegexAlternatives,
            Self::RegexFromEachPlace,
            Self::RegexInRow,
            Self::Exceptions,
            Self::RegexCompile,
            Self::MapperMade,
            Self::Lookup,
            Self::Handshake,
            Self::Tls,
            Self::Hpack,
            Self::Compression,
            Self::Crypto,
            Self::Logging,
            Self::Serialisation,
            Self::RegexMatch,
            Self::Formatting,
            Self::BigNumbers,
            Self::Sorting,
            Self::Scanning,
            Self::Collisions,
            Self::Copying,
            Self::Texts,
        ];
    }

    impl Examples for CpuUse {
        fn examples() -> Vec<Self> {
            let used = |work, method: Option<&str>| Self {
                work,
                at: InMethod {
                    method: method.map(str::to_owned),
                    caller: method.map(|_| "shop.Checkout.doGet:17".to_owned()),
                },
                share: Share(0.41),
                per_request: Seconds(1.2e-4),
                pieces: None,
            };
            let mut all: Vec<Self> =
                CpuWork::ALL.iter().map(|work| used(Some(*work), Some("shop.Orders.find:42"))).collect();
            all.extend([used(None, Some("shop.Orders.find:42")), used(Some(CpuWork::Logging), None)]);
            let pieces = Some(Pieces { per_request: Count(214.0), each: Bytes(58) });
            all.push(Self { pieces, ..used(Some(CpuWork::SocketWrites), Some("shop.Orders.find:42")) });
            all
        }
    }
}
